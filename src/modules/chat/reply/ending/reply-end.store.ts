import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { DomainEvents } from '../../../../common/events/domain-events';
import type { ReplyTokenUsage } from '../../../../common/token-usage';
import { Database } from '../../../../database/database';
import { execute } from '../../../../database/statements/run-statement';
import { updateRows } from '../../../../database/statements/update';
import { UsageService } from '../../../usage/usage.api';
import { ChatEntity } from '../../conversations/chat.entity';
import { replyEndedEvent } from '../../conversations/chat.events';
import { ConversationLine, type LineEnd } from '../../conversations/conversation-line';
import { MessageEntity } from '../../conversations/message.entity';
import { ConversationHistory } from '../conversation-history';
import type { ReplyEnd } from '../reply-end';
import type { GenerationOutcome, RunningReply } from '../running-reply';
import { ReplyTitler } from '../title/reply-titler';
import { type Ended, type EndedRow, endedRow, factsOf, type KeptTexts, returnsMessage } from './ended-reply';

const DROP_REPLY = "DELETE FROM chat_messages WHERE id = ? AND status = 'streaming'";
const DROP_MESSAGE = 'DELETE FROM chat_messages WHERE id = ?';
const DROP_CHAT = 'DELETE FROM chats WHERE id = ?';

/**
 * The other transaction of an exchange: it stores the end of a reply, and reads that end again. Methods with a manager run
 * within `Database.write`.
 */
@Injectable()
export class ReplyEndStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly usage: UsageService,
    private readonly line: ConversationLine,
    private readonly titler: ReplyTitler,
    private readonly history: ConversationHistory,
  ) {}

  /**
   * Stores the whole end. The statements write messages first, then usage, then the chat. `ExchangeStore.begin` keeps the
   * same order, so the two transactions cannot deadlock. If another process has already ended the reply, its end counts.
   */
  async store(
    manager: EntityManager,
    reply: RunningReply,
    outcome: GenerationOutcome,
    usage: ReplyTokenUsage,
    kept: KeptTexts,
  ): Promise<ReplyEnd> {
    const ended = { reply, outcome, usage, at: this.clock.now() };
    const row = endedRow(ended, kept);
    const { keeping } = reply.task;
    const isStored = keeping === 'nothing' ? dropReply(manager, reply) : storeText(manager, reply, row);
    if (!(await isStored)) {
      return this.readOthersEnd(manager, reply);
    }
    const line = await this.bringBackFormerLine(manager, ended);
    await this.recordUsage(manager, ended);
    await reply.task.keepEnd?.(manager);
    const title = keeping === 'conversation' ? await this.endInChat(manager, ended, row, line) : null;
    if (keeping === 'day') {
      await releaseChat(manager, ended, null);
    } else if (keeping === 'nothing') {
      await dropRest(manager, reply);
    }
    const { status, finishReason, failure } = outcome;
    return { status, finishReason, usage, failure, title, at: ended.at, ...factsOf(ended, line) };
  }

  /** @returns the title that the conversation got */
  private async endInChat(
    manager: EntityManager,
    ended: Ended,
    row: EndedRow,
    line: LineEnd | null,
  ): Promise<string | null> {
    const { reply, outcome } = ended;
    await releaseChat(manager, ended, line);
    const title = await this.titler.giveFromWords(manager, reply, outcome.status === 'failed');
    await this.publishEnd(manager, reply, row);
    this.history.endedOnCommit(reply, row);
    return title;
  }

  /** Stores only the failure, and releases the chat. The text stays as the last flush stored it. */
  async storeLeast(manager: EntityManager, reply: RunningReply, { failure }: GenerationOutcome): Promise<ReplyEnd> {
    const at = this.clock.now();
    const end = { status: 'failed', finishReason: 'error', failure } as const;
    if (!(await storeText(manager, reply, { ...end, ownerId: null, completedAt: at, updatedAt: at }))) {
      return this.readOthersEnd(manager, reply);
    }
    await releaseChat(manager, { reply, at }, null);
    return { ...end, usage: null, title: null, at };
  }

  /** The stored end of a reply; null while the reply runs. */
  async endOf(message: MessageEntity): Promise<ReplyEnd | null> {
    const { status, finishReason, tokenUsage: usage, failure, completedAt, updatedAt } = message;
    if (status === 'streaming') {
      return null;
    }
    return { status, finishReason, usage, failure, title: await this.titleFrom(message), at: completedAt ?? updatedAt };
  }

  /** Restores the former line when another reply to an old message ended early and has no text. */
  private async bringBackFormerLine(manager: EntityManager, { reply, outcome }: Ended): Promise<LineEnd | null> {
    const { chatId, isEmpty, task } = reply;
    return task.formerLineEndId !== null && outcome.status !== 'completed' && isEmpty
      ? this.line.switchTo(manager, chatId, task.formerLineEndId)
      : null;
  }

  private async recordUsage(manager: EntityManager, ended: Ended): Promise<void> {
    const { reply, outcome, usage, at } = ended;
    const { chatId, messageId, firstTokenMs, task } = reply;
    const { status, failedModel } = outcome;
    await this.usage.recordReply(manager, {
      userId: task.userId,
      apiKeyId: task.apiKeyId,
      chatId,
      messageId,
      agentId: task.agent.id,
      // A failed reply counts for the model that failed, so that the report by model shows which one does.
      model: usage.model ?? failedModel?.model ?? null,
      usage,
      status,
      isCompaction: task.messages === 0,
      startedAt: task.startedAt,
      at,
      firstTokenMs,
      returnMessage: returnsMessage(ended),
    });
  }

  private async publishEnd(manager: EntityManager, reply: RunningReply, row: EndedRow): Promise<void> {
    const { chatId, messageId, userMessageId, task } = reply;
    const message = { ...row, id: messageId, chatId, parentId: userMessageId };
    await this.events.publish(manager, replyEndedEvent({ userId: task.userId, agentId: task.agent.id }, message));
  }

  /** The title that this exchange gave the chat; null when the user has changed it since. */
  private async titleFrom({ id, chatId }: MessageEntity): Promise<string | null> {
    const chat = await this.database
      .repository(ChatEntity)
      .findOne({ select: { id: true, title: true }, where: { id: chatId, titleReplyId: id }, withDeleted: true });
    return chat?.title ?? null;
  }

  private async readOthersEnd(manager: EntityManager, reply: RunningReply): Promise<ReplyEnd> {
    const message = await manager.findOneBy(MessageEntity, { id: reply.messageId });
    return {
      status: message === null || message.status === 'streaming' ? 'interrupted' : message.status,
      finishReason: message?.finishReason ?? null,
      usage: message?.tokenUsage ?? null,
      failure: message?.failure ?? null,
      title: null,
    };
  }
}

/** Returns false when the reply has already ended: an end is stored once. */
async function storeText(
  manager: EntityManager,
  { messageId }: RunningReply,
  row: Partial<MessageEntity>,
): Promise<boolean> {
  return (await updateRows(manager, MessageEntity, row, "id = ? AND status = 'streaming'", [messageId])) > 0;
}

/** For a reply of which nothing is kept. Returns false when it has already ended, as `storeText` does. */
async function dropReply(manager: EntityManager, { messageId }: RunningReply): Promise<boolean> {
  const { affected } = await execute(manager, DROP_REPLY, [messageId]);
  return affected > 0;
}

/** Deletes the question, and the hidden conversation that held both. */
async function dropRest(manager: EntityManager, { chatId, userMessageId }: RunningReply): Promise<void> {
  await execute(manager, DROP_MESSAGE, [userMessageId]);
  await execute(manager, DROP_CHAT, [chatId]);
}

/** Frees the chat for the next message. */
async function releaseChat(
  manager: EntityManager,
  { reply, at }: Pick<Ended, 'reply' | 'at'>,
  line: LineEnd | null,
): Promise<void> {
  const changes = { activeMessageId: null, lastMessageAt: at, updatedAt: at, ...line };
  const { chatId, messageId } = reply;
  await updateRows(manager, ChatEntity, changes, 'id = ? AND active_message_id = ?', [chatId, messageId]);
}
