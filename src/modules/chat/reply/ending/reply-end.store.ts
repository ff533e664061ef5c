import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../../common/clock';
import { DomainEvents } from '../../../../common/events/domain-events';
import { tokenUsage } from '../../../../common/token-usage';
import { Database } from '../../../../database/database';
import { updateRows } from '../../../../database/row-statements';
import { estimateTokens } from '../../../../integrations/llm/token-estimate';
import { AgentStatsService } from '../../../agent/agent.api';
import { UsageService } from '../../../usage/usage.api';
import { replyEndedEvent } from '../../chat.events';
import { ConversationLine, type LineEnd } from '../../conversation-line';
import type { TokenUsageDto } from '../../dto/token-usage.dto';
import { ChatEntity } from '../../entities/chat.entity';
import { MessageEntity } from '../../entities/message.entity';
import type { ReplyEnd } from '../live-reply';
import type { RunningReply } from '../running-reply';
import { ReplyTitler } from '../title/reply-titler';
import type { GenerationOutcome } from './generation-outcome';

/** Of a reply, what is stored. */
export type KeptTexts = Pick<RunningReply, 'text' | 'reasoning'>;

/** The rows with which an exchange ends. All methods run within `Database.write`. */
@Injectable()
export class ReplyEndStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly usage: UsageService,
    private readonly agentStats: AgentStatsService,
    private readonly line: ConversationLine,
    private readonly titler: ReplyTitler,
  ) {}

  /**
   * Stores all of it. When somebody else has ended the reply meanwhile, theirs is the end.
   *
   * @param kept what is stored of text and reasoning
   */
  async store(
    manager: EntityManager,
    reply: RunningReply,
    outcome: GenerationOutcome,
    usage: TokenUsageDto,
    kept: KeptTexts,
  ): Promise<ReplyEnd> {
    const at = this.clock.now();
    const row = endedRow(reply, outcome, usage, kept, at);
    const stored = await updateRows(manager, MessageEntity, row, "id = ? AND status = 'streaming'", [reply.messageId]);
    if (stored === 0) {
      return this.readEnd(manager, reply);
    }
    const line = await this.formerLine(manager, reply, outcome);
    await this.count(manager, reply, outcome, usage, at);
    await freeChat(manager, reply, at, line);
    const title = await this.titler.giveFromWords(manager, reply, outcome.status === 'failed');
    const { userId, agent } = reply.task;
    const ids = { id: reply.messageId, chatId: reply.chatId, parentId: reply.userMessageId };
    await this.events.publish(manager, replyEndedEvent({ userId, agentId: agent.id }, { ...row, ...ids }));
    return { status: outcome.status, finishReason: outcome.finishReason, usage, failure: outcome.failure, title };
  }

  /** Stores only that the reply has failed, and frees the conversation; of the text, what was flushed stays. */
  async storeLeast(manager: EntityManager, reply: RunningReply, { failure }: GenerationOutcome): Promise<ReplyEnd> {
    const at = this.clock.now();
    const end = { status: 'failed', finishReason: 'error', failure } as const;
    const row = { ...end, ownerId: null, completedAt: at, updatedAt: at };
    const stored = await updateRows(manager, MessageEntity, row, "id = ? AND status = 'streaming'", [reply.messageId]);
    if (stored === 0) {
      return this.readEnd(manager, reply);
    }
    await freeChat(manager, reply, at, null);
    return { ...end, usage: null, title: null };
  }

  private async count(
    manager: EntityManager,
    reply: RunningReply,
    { status, failedModel }: GenerationOutcome,
    usage: TokenUsageDto,
    at: Date,
  ): Promise<void> {
    const { chatId, messageId, firstTokenMs } = reply;
    const { userId, agent, startedAt, messages } = reply.task;
    const returnMessage = status !== 'completed' && status !== 'stopped' && reply.text === '' && messages === 2;
    await this.usage.recordReply(manager, {
      userId,
      chatId,
      messageId,
      agentId: agent.id,
      // A failed reply counts for the model that failed, so that the report by model tells which one does.
      model: usage.model ?? failedModel?.model ?? null,
      usage: tokenUsage(usage.prompt_tokens, usage.completion_tokens),
      status,
      startedAt,
      at,
      firstTokenMs,
      returnMessage,
    });
    const tokens = usage.total_tokens;
    const failed = status === 'failed';
    await this.agentStats.recordReply(manager, { agentId: agent.id, messages, tokens, failed, firstTokenMs, at });
  }

  /** A new reply that was cut off without a word, however it was, does not take the place of the earlier line. */
  private async formerLine(
    manager: EntityManager,
    { chatId, text, task }: RunningReply,
    { status }: GenerationOutcome,
  ): Promise<LineEnd | null> {
    const { formerLineEndId } = task;
    return formerLineEndId !== null && status !== 'completed' && text === ''
      ? this.line.switchTo(manager, chatId, formerLineEndId)
      : null;
  }

  /** How a stored reply ended; null while it is written. */
  async of(message: MessageEntity): Promise<ReplyEnd | null> {
    const { status, finishReason, tokenUsage, failure } = message;
    return status === 'streaming'
      ? null
      : { status, finishReason, usage: tokenUsage, failure, title: await this.titleFrom(message) };
  }

  /** The title that the conversation got from this reply's exchange, unless the user has given it another one since. */
  private async titleFrom({ id, chatId }: MessageEntity): Promise<string | null> {
    const chat = await this.database
      .repository(ChatEntity)
      .findOne({ select: { id: true, title: true }, where: { id: chatId, titleReplyId: id }, withDeleted: true });
    return chat?.title ?? null;
  }

  private async readEnd(manager: EntityManager, reply: RunningReply): Promise<ReplyEnd> {
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

/** Lets the conversation take the next message. */
async function freeChat(
  manager: EntityManager,
  { chatId, messageId }: RunningReply,
  at: Date,
  line: LineEnd | null,
): Promise<void> {
  const changes = { activeMessageId: null, lastMessageAt: at, updatedAt: at, ...line };
  await updateRows(manager, ChatEntity, changes, 'id = ? AND active_message_id = ?', [chatId, messageId]);
}

function endedRow(
  reply: RunningReply,
  outcome: GenerationOutcome,
  usage: TokenUsageDto,
  { text, reasoning }: KeptTexts,
  at: Date,
): Omit<ReplyRow, 'id' | 'chatId' | 'parentId'> {
  return {
    content: text,
    reasoning: reasoning === '' ? null : reasoning,
    tokenCount: estimateTokens(text),
    status: outcome.status,
    finishReason: outcome.finishReason,
    model: usage.model,
    tokenUsage: usage,
    failure: outcome.failure,
    ownerId: null,
    completedAt: at,
    updatedAt: at,
    firstTokenMs: reply.firstTokenMs,
    durationMs: Math.max(0, at.getTime() - reply.task.startedAt.getTime()),
  };
}

type ReplyRow = Pick<
  MessageEntity,
  | 'id'
  | 'chatId'
  | 'parentId'
  | 'content'
  | 'reasoning'
  | 'tokenCount'
  | 'status'
  | 'finishReason'
  | 'model'
  | 'tokenUsage'
  | 'failure'
  | 'ownerId'
  | 'completedAt'
  | 'updatedAt'
  | 'firstTokenMs'
  | 'durationMs'
>;
