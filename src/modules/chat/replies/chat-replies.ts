import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { updateRows } from '../../../database/statements/update';
import { estimateParts } from '../../../integrations/llm/counting/prompt-estimate';
import { estimateTokens } from '../../../integrations/llm/counting/token-estimate';
import type { Ended, EndedRow, PromptRoom, ReplyEnd, Turn, WrittenReply } from '../../generation/generation.api';
import { ChatEntity } from '../conversations/chat.entity';
import { ConversationLine, type LineEnd } from '../conversations/conversation-line';
import { MessageEntity } from '../conversations/message.entity';
import { replyEndedEvent } from '../conversations/message.events';
import { ConversationHistory } from '../history/conversation-history';
import { ToldConversation } from '../history/told-conversation';
import { ReplyTitler } from '../title/reply-titler';
import type { ChatReplyFacts } from './chat-reply-facts';

/** What the end of a reply changes of its message. */
export type EndedMessage = EndedRow & Pick<MessageEntity, 'tokenCount'>;

/**
 * What conversations do for their replies: they tell the model what was said, and take the end. Methods with a manager run
 * within `Database.write`.
 */
@Injectable()
export class ChatReplies {
  constructor(
    private readonly events: DomainEvents,
    private readonly line: ConversationLine,
    private readonly titler: ReplyTitler,
    private readonly history: ConversationHistory,
    private readonly told: ToldConversation,
  ) {}

  /** What the model is told of the conversation. @throws ContextTooLongError when nothing may be left out */
  async turns(
    reply: WrittenReply,
    { question, message }: ChatReplyFacts,
    roomFor: (question: string) => PromptRoom,
  ): Promise<readonly Turn[]> {
    const asked = question ?? (await this.told.question(reply.userMessageId));
    return this.told.turns(reply, asked, roomFor(asked.content), message);
  }

  /** @returns false when the reply has ended already */
  store(manager: EntityManager, reply: WrittenReply, row: EndedMessage): Promise<boolean> {
    return storeRow(manager, reply, row);
  }

  /** Restores the former line when another reply to an old message ended early and has no text. */
  async bringBackFormerLine(
    manager: EntityManager,
    { reply, outcome }: Ended,
    { formerLineEndId }: ChatReplyFacts,
  ): Promise<LineEnd | null> {
    const isGivenUp = outcome.status !== 'completed' && outcome.status !== 'requires_action';
    return formerLineEndId !== null && isGivenUp && reply.isEmpty
      ? this.line.switchTo(manager, reply.chatId, formerLineEndId)
      : null;
  }

  /** Frees the chat for the next message, and tells of the reply. @returns the title that the conversation got */
  async release(
    manager: EntityManager,
    { reply, outcome, at }: Ended,
    row: EndedMessage,
    line: LineEnd | null,
    facts: ChatReplyFacts,
  ): Promise<string | null> {
    const { chatId, messageId: id, userMessageId: parentId, task } = reply;
    await releaseChat(manager, reply, at, line);
    const title = await this.titler.giveFromWords(manager, reply, facts, outcome.status === 'failed');
    const owner = { userId: task.userId, agentId: task.agent.id };
    if (outcome.status !== 'requires_action') {
      await this.events.publish(manager, replyEndedEvent(owner, { ...row, id, chatId, parentId }));
      this.history.endedOnCommit(reply, row);
    }
    return title;
  }

  /** Stores only the failure, and releases the chat. @returns false when the reply has ended already */
  async storeLeast(manager: EntityManager, reply: WrittenReply, row: Partial<EndedRow>, at: Date): Promise<boolean> {
    if (!(await storeRow(manager, reply, row))) {
      return false;
    }
    await releaseChat(manager, reply, at, null);
    return true;
  }

  /** Has a model make the title, if one is to. */
  afterEnd(reply: WrittenReply, end: ReplyEnd, facts: ChatReplyFacts): void {
    this.titler.afterReply(reply, facts, end);
  }
}

async function storeRow(
  manager: EntityManager,
  { messageId }: WrittenReply,
  row: Partial<MessageEntity>,
): Promise<boolean> {
  return (await updateRows(manager, MessageEntity, row, "id = ? AND status = 'streaming'", [messageId])) > 0;
}

async function releaseChat(
  manager: EntityManager,
  { chatId, messageId }: WrittenReply,
  at: Date,
  line: LineEnd | null,
): Promise<void> {
  const changes = { activeMessageId: null, lastMessageAt: at, updatedAt: at, ...line };
  await updateRows(manager, ChatEntity, changes, 'id = ? AND active_message_id = ?', [chatId, messageId]);
}

/** Tokens of a reply as it is stored, roughly. */
export function tokensOf({ toolCalls, toolResults, compaction }: WrittenReply, { content }: EndedRow): number {
  return estimateTokens(content) + estimateParts([...toolCalls, ...toolResults, ...(compaction ? [compaction] : [])]);
}
