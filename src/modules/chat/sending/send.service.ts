import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { Lifecycle } from '../../../common/lifecycle';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { AgentService } from '../../agent/agent.service';
import type { QuotaRemaining } from '../../usage/quota.service';
import { UsageService } from '../../usage/usage.service';
import { ChatNotFoundError, GenerationInProgressError, MessageNotFoundError } from '../chat.errors';
import { messageCreatedEvent } from '../chat.events';
import { ChatReadService } from '../chat-read.service';
import type { SendMessageDto } from '../dto/send-message.dto';
import { CountedTexts, tokensOf } from '../reply/counted-texts';
import { ReplyContext } from '../reply/reply-context';
import { ReplyLocator } from '../reply/reply-locator';
import { ReplyRegistry } from '../reply/reply-registry';
import { ReplyRunner } from '../reply/reply-runner';
import { ReplyTitler } from '../reply/reply-titler';
import { ReplyTask, RunningReply } from '../reply/running-reply';
import { ChatForSending, readChatForSending } from './chat-for-sending';
import { ExchangeTransaction } from './exchange-transaction';
import { ExchangeStore } from './exchange.store';
import { IdempotencyService, RequestResult, ResultKeeper } from './idempotency.service';
import { RegenerateService } from './regenerate.service';
import type { ReplyAnswer } from './reply-answer';

/** Takes messages: stores them with the beginning of their reply, and has the reply written. */
@Injectable()
export class SendService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly lifecycle: Lifecycle,
    private readonly events: DomainEvents,
    private readonly agents: AgentService,
    private readonly reading: ChatReadService,
    private readonly usage: UsageService,
    private readonly idempotency: IdempotencyService,
    private readonly transaction: ExchangeTransaction,
    private readonly store: ExchangeStore,
    private readonly context: ReplyContext,
    private readonly titler: ReplyTitler,
    private readonly registry: ReplyRegistry,
    private readonly runner: ReplyRunner,
    private readonly locator: ReplyLocator,
    private readonly regenerating: RegenerateService,
  ) {}

  /** @param key the header `Idempotency-Key` */
  send(principal: Principal, message: SendMessageDto, key: string | null): Promise<ReplyAnswer> {
    this.lifecycle.assertAcceptsWork();
    const { chat_id, content, lang = null, on_disconnect = 'continue', trigger, message_id = null } = message;
    const isAnew = trigger === 'regenerate-message';
    const request = {
      userId: principal.userId,
      key,
      route: 'POST /chat/message',
      body: { chat_id, content, lang, on_disconnect, ...(isAnew && { trigger, message_id }) },
    };
    return this.idempotency.once(
      request,
      (keep) =>
        isAnew
          ? this.regenerating.regenerateNamed(principal, chat_id, message_id, message, keep)
          : this.perform(principal, message, keep),
      (result) => this.repeat(principal, result),
    );
  }

  private async perform(principal: Principal, message: SendMessageDto, keep: ResultKeeper): Promise<ReplyAnswer> {
    const { reply, quota, hasHistory } = await this.transaction.run((manager, counted) =>
      this.begin(manager, principal, message, counted, keep),
    );
    this.runner.start(reply, message.content, hasHistory);
    return { reply, quota };
  }

  /**
   * The conversation is read in the transaction that takes it, so that what is found there still holds. Statements that
   * write come in the order messages, usage, conversation, here and when the reply ends: no deadlock between them.
   */
  private async begin(
    manager: EntityManager,
    principal: Principal,
    message: SendMessageDto,
    counted: CountedTexts,
    keep: ResultKeeper,
  ): Promise<{ reply: RunningReply; quota: QuotaRemaining; hasHistory: boolean }> {
    const { userId, tier } = principal;
    const { chat_id: chatId, content } = message;
    const chat = await this.readFreeChat(manager, chatId, userId);
    const task = { ...(await this.toTask(principal, chat, message)), counted };
    this.context.assertFits(task, content);
    const at = task.startedAt;
    const place = { chatId, position: chat.messageCount };
    const userMessageId = await this.store.insertUserMessage(
      manager,
      place,
      { content, language: message.lang ?? null, tokenCount: tokensOf(content, counted) },
      at,
    );
    const messageId = await this.store.insertReply(manager, place, userMessageId, at);
    const usage = { userId, tier, chatId, messageId: userMessageId, agentId: chat.agentId, at };
    const quota = await this.usage.recordUserMessage(manager, usage);
    await this.store.claimChat(manager, chat, userId, messageId, 2, at);
    await this.store.assertMayRun(manager, userId, tier);
    await keep(manager, { chatId, userMessageId, messageId });
    const stored = { id: userMessageId, chatId, role: 'user', status: 'completed', content, createdAt: at } as const;
    await this.events.publish(manager, messageCreatedEvent(userId, stored));
    const reply = new RunningReply(chatId, userMessageId, messageId, task);
    this.database.onCommit(() => this.registry.add(reply));
    return { reply, quota, hasHistory: chat.messageCount > 0 };
  }

  private async readFreeChat(manager: EntityManager, chatId: number, userId: number): Promise<ChatForSending> {
    const chat = await readChatForSending(manager, chatId, userId);
    if (chat === null) {
      throw new ChatNotFoundError();
    }
    if (chat.activeMessageId !== null) {
      throw new GenerationInProgressError(chat.activeMessageId);
    }
    return chat;
  }

  private async toTask(principal: Principal, chat: ChatForSending, message: SendMessageDto): Promise<ReplyTask> {
    return {
      userId: principal.userId,
      tier: principal.tier,
      agent: await this.agents.resolveForSending(chat.agentId, principal.tier),
      language: message.lang ?? chat.language,
      customInstructions: chat.customInstructions,
      title: chat.isUntitled ? this.titler.titleOf(message.content) : null,
      isUntitled: chat.isUntitled,
      messages: 2,
      replacesId: null,
      endsWithReaders: message.on_disconnect === 'cancel',
      startedAt: this.clock.now(),
    };
  }

  /** @throws ChatNotFoundError when the conversation was deleted meanwhile. */
  private async repeat({ userId }: Principal, result: RequestResult): Promise<ReplyAnswer> {
    await this.reading.get(userId, result.chatId);
    const reply = result.messageId === null ? null : await this.locator.find(result.messageId);
    if (reply === null) {
      throw new MessageNotFoundError();
    }
    return { reply, quota: null };
  }
}
