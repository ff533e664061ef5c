import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Requester } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { AgentService } from '../../agent/agent.api';
import { type QuotaRemaining, UsageService } from '../../usage/usage.api';
import { ChatNotFoundError, GenerationInProgressError, MessageNotFoundError } from '../chat.errors';
import { messageCreatedEvent } from '../chat.events';
import { ConversationLine } from '../conversation-line';
import type { ReplyOptionsDto } from '../dto/reply-options.dto';
import { MessageEntity } from '../entities/message.entity';
import { CountedTexts, tokensOf } from '../reply/counted-texts';
import { PromptBuilder } from '../reply/prompt-builder';
import type { ReplyAnswer } from '../reply/reading/reply-answer';
import { ReplyRegistry } from '../reply/reply-registry';
import { ReplyRunner } from '../reply/running/reply-runner';
import { ReplyTask, RunningReply } from '../reply/running-reply';
import { ReplyTitler } from '../reply/title/reply-titler';
import { ChatForSending, readChatForSending } from './chat-for-sending';
import { ExchangeStore } from './exchange.store';
import { ExchangeTransaction } from './exchange-transaction';
import type { ResultKeeper } from './idempotency.service';

/** What is to be answered. */
export interface ExchangeRequest {
  chatId: number;
  /** What the user writes; null: the named message is answered anew. */
  content: string | null;
  /** The message that gets another wording or another reply; null: a new one at the end of the line. */
  messageId: number | null;
  options: ReplyOptionsDto;
  /** Whether a reply that nobody reads any more gives way. */
  endsUnread: boolean;
}

/** The user's message of an exchange. */
interface Question {
  /** Null for one that is yet to be stored. */
  id: number | null;
  position: number;
  parentId: number | null;
  content: string;
  language: string | null;
}

interface BegunExchange {
  reply: RunningReply;
  question: Question;
  quota: QuotaRemaining;
}

/** Begins exchanges: stores what the user wrote with the beginning of its reply, and has the reply written. */
@Injectable()
export class ExchangeService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly agents: AgentService,
    private readonly usage: UsageService,
    private readonly transaction: ExchangeTransaction,
    private readonly store: ExchangeStore,
    private readonly line: ConversationLine,
    private readonly context: PromptBuilder,
    private readonly titler: ReplyTitler,
    private readonly registry: ReplyRegistry,
    private readonly runner: ReplyRunner,
  ) {}

  /**
   * @param keep for a request that may be repeated
   * @throws ChatNotFoundError, MessageNotFoundError, GenerationInProgressError
   */
  async begin(principal: Requester, request: ExchangeRequest, keep: ResultKeeper): Promise<ReplyAnswer> {
    const { reply, question, quota } = await this.transaction.run(
      (manager, counted) => this.perform(manager, principal, request, counted, keep),
      request.endsUnread,
    );
    this.runner.start(reply, question.content, question.position > 0);
    return { reply, quota };
  }

  /**
   * The conversation is read in the transaction that takes it, so that what is found there still holds. Statements that
   * write come in the order messages, usage, conversation, here and when the reply ends: no deadlock between them.
   */
  private async perform(
    manager: EntityManager,
    principal: Requester,
    request: ExchangeRequest,
    counted: CountedTexts,
    keep: ResultKeeper,
  ): Promise<BegunExchange> {
    const { userId, tier } = principal;
    const { chatId } = request;
    const chat = await readChatForSending(manager, chatId, userId);
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    const earlier = await this.findEarlier(manager, request);
    if (chat.activeMessageId !== null) {
      throw new GenerationInProgressError(chat.activeMessageId);
    }
    const question = questionOf(chat, request, earlier);
    const task = { ...(await this.toTask(principal, chat, question, request.options)), counted };
    this.context.assertFits(task, question.content);
    if (earlier !== null) {
      await this.makeRoom(manager, earlier, question.id);
    }
    const at = task.startedAt;
    const { position, parentId, content, language } = question;
    const place = { chatId, position };
    const userMessageId =
      question.id ??
      (await this.store.insertUserMessage(
        manager,
        { ...place, parentId },
        { content, language, tokenCount: tokensOf(content, counted) },
        at,
      ));
    const messageId = await this.store.insertReply(manager, place, userMessageId, at);
    const usage = { userId, tier, chatId, messageId: userMessageId, agentId: chat.agentId, at };
    const quota = await (question.id === null
      ? this.usage.recordUserMessage(manager, usage)
      : this.usage.requireTokens(manager, userId, tier));
    const { formerLineEndId } = task;
    const begun = { messageId, messageCount: position + 2, formerLineEndId };
    await this.store.claimChat(manager, chat, userId, begun, at);
    await this.store.assertMayRun(manager, userId, tier);
    await keep(manager, { chatId, userMessageId, messageId });
    if (question.id === null) {
      const stored = { id: userMessageId, chatId, role: 'user', status: 'completed', content, createdAt: at } as const;
      await this.events.publish(manager, messageCreatedEvent({ userId, agentId: chat.agentId }, stored));
    }
    const reply = new RunningReply(chatId, userMessageId, messageId, task);
    this.database.onCommit(() => this.registry.add(reply));
    return { reply, question, quota };
  }

  /** The user's message that is worded or answered anew; for an answer, its reply may be named instead. */
  private async findEarlier(
    manager: EntityManager,
    { chatId, messageId, content }: ExchangeRequest,
  ): Promise<MessageEntity | null> {
    if (messageId === null) {
      return null;
    }
    const named = await manager.findOneBy(MessageEntity, { id: messageId, chatId });
    const isReplyToAnswerAnew = content === null && named?.role === 'assistant' && named.parentId !== null;
    const message = isReplyToAnswerAnew
      ? await manager.findOneBy(MessageEntity, { id: named.parentId as number, chatId })
      : named;
    if (message?.role !== 'user') {
      throw new MessageNotFoundError();
    }
    return message;
  }

  /** Ends the line before the earlier message, or behind it where it is kept; it may be on another line as yet. */
  private async makeRoom(manager: EntityManager, earlier: MessageEntity, keptId: number | null): Promise<void> {
    const { id, chatId, position, isCurrent } = earlier;
    if (!isCurrent) {
      await this.line.switchTo(manager, chatId, id);
    }
    await this.line.cut(manager, chatId, position, keptId ?? 0);
  }

  private async toTask(
    { userId, tier, requestId }: Requester,
    chat: ChatForSending,
    { id, content, language }: Question,
    { on_disconnect }: ReplyOptionsDto,
  ): Promise<ReplyTask> {
    return {
      userId,
      tier,
      agent: await this.agents.resolveForSending(chat.agentId, tier),
      language: language ?? chat.language,
      customInstructions: chat.customInstructions,
      title: chat.isUntitled ? this.titler.titleOf(content) : null,
      isUntitled: chat.isUntitled,
      messages: id === null ? 2 : 1,
      formerLineEndId: id === null ? null : chat.lineEndId,
      endsWithReaders: on_disconnect === 'cancel',
      startedAt: this.clock.now(),
      requestId,
    };
  }
}

function questionOf(
  chat: ChatForSending,
  { content, options: { lang } }: ExchangeRequest,
  earlier: MessageEntity | null,
): Question {
  return {
    id: content === null ? (earlier?.id ?? null) : null,
    position: earlier?.position ?? chat.messageCount,
    parentId: earlier === null ? chat.lineEndId : earlier.parentId,
    content: content ?? earlier?.content ?? '',
    language: lang ?? earlier?.language ?? null,
  };
}
