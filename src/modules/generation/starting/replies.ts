import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type DomainEvent, DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { type QuotaRemaining, UsageService, UserLimits } from '../../usage/usage.api';
import { IdempotencyService, type RepeatableRequest, type RequestResult } from '../idempotency/idempotency.service';
import { type MeasureSize, ReplyBudget } from '../paying/reply-budget';
import type { GenerationTask } from '../reply/generation-task';
import type { ReplyDriver } from '../reply/reply-driver';
import type { ReplyOrigin } from '../reply/reply-origin';
import { ReplyRegistry } from '../reply/reply-registry';
import { ReplySpans } from '../reply/reply-spans';
import { RunningReply } from '../reply/running-reply';
import { RunningLimit } from './running-limit';

/** A reply whose start is stored. */
export interface BegunReply {
  reply: RunningReply;
  /** The sender's remaining quotas of the day. */
  quota: QuotaRemaining;
}

/** The data with which a reply starts. Released afterwards. */
export interface Beginning {
  task: GenerationTask;
  /** Identifies repetitions of the request. */
  repeatable: RepeatableRequest;
  /** Messages on the current branch of the conversation, including the reply. */
  messageCount: number;
  /** Whether a question that is already stored counts as a message again. Absent: no. */
  retakesMessage?: boolean;
}

/** The ids of a stored exchange. */
export type StoredIds = RequestResult & { userMessageId: number; messageId: number };

/**
 * The start of an exchange; `ReplyOrigin` is its end. `Replies.begin` calls the methods in this order, within one
 * transaction that may be repeated.
 */
export interface NewReply<Begin extends Beginning, Stored extends StoredIds> extends ReplyOrigin {
  /**
   * Stores the messages, if there are any, and the row of the reply.
   *
   * @param ownerId the instance that writes the reply
   */
  store(manager: EntityManager, begin: Begin, ownerId: string): Promise<Stored>;

  /** Reserves the conversation for this reply. Absent: there is none. */
  claim?(manager: EntityManager, begin: Begin, stored: Stored): Promise<void>;

  /**
   * Stores additional data of the API that serves the client, such as a response of the OpenAI API. Absent: nothing.
   */
  keep?(manager: EntityManager, begin: Begin, stored: Stored): Promise<void>;

  /** The events to publish. Absent: none. */
  events?(begin: Begin, stored: Stored): DomainEvent[];

  /** Returns a function that calculates the size of the prompt, called if a budget applies. */
  promptSize(manager: EntityManager, begin: Begin, stored: Stored): MeasureSize;
}

/** Turns that are added to a conversation without a reply. `Replies.append` calls the methods in this order. */
export interface NewTurns<Chat, Stored> {
  /** Reads and locks the conversation. */
  lock(): Promise<Chat>;

  /** Stores the messages. */
  store(chat: Chat): Promise<Stored>;

  /** Counts the messages and makes the last one the end of the conversation. */
  claim(chat: Chat, stored: Stored): Promise<void>;

  /** The events to publish. */
  events(chat: Chat, stored: Stored): DomainEvent[];
}

/**
 * Stores the start of replies. The lock order of a start is defined only here, and that of an end in
 * `ReplyEndStore.store`. Both use the same order, so that they do not deadlock: conversation, messages, usage of the
 * user, budgets. One start deviates: a message that replaces a waiting reply locks the conversation before the
 * rounds of that reply, and a decision locks the rounds first. `Database.write` repeats a transaction that a deadlock ends.
 */
@Injectable()
export class Replies {
  constructor(
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly usage: UsageService,
    private readonly limits: UserLimits,
    private readonly running: RunningLimit,
    private readonly idempotency: IdempotencyService,
    private readonly budget: ReplyBudget,
    private readonly registry: ReplyRegistry,
    private readonly spans: ReplySpans,
  ) {}

  /** Runs `work` in the transaction in which a reply starts. @throws BudgetExceededError, and the errors of `work` */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.budget.run(() => this.database.write(work));
  }

  /**
   * Stores the start of a reply. Call it last within `write`. After the commit the reply is in the registry of this
   * process.
   *
   * @throws QuotaExceededError, TooManyConcurrentError, BudgetExceededError, ModelNotPricedError, and the errors of the
   *   exchange
   */
  async begin<Begin extends Beginning, Stored extends StoredIds>(
    manager: EntityManager,
    exchange: NewReply<Begin, Stored>,
    begin: Begin,
    driver: ReplyDriver,
  ): Promise<BegunReply> {
    const { task, repeatable, messageCount } = begin;
    this.spans.begin(task);
    const stored = await exchange.store(manager, begin, this.registry.ownerId);
    const { chatId, userMessageId, messageId } = stored;
    const quota = await this.takeQuota(manager, begin, stored);
    await exchange.claim?.(manager, begin, stored);
    await this.running.assertMayRun(manager, task.userId, task.tier);
    await this.idempotency.keep(manager, repeatable, stored);
    await exchange.keep?.(manager, begin, stored);
    if (exchange.events !== undefined) {
      await this.events.publishAll(manager, exchange.events(begin, stored));
    }
    // Last, because a shared budget stays locked until this transaction commits.
    const held = await this.budget.hold(manager, task, messageId, exchange.promptSize(manager, begin, stored));
    const reply = new RunningReply(chatId, userMessageId, messageId, task, exchange, driver);
    this.spans.identify(reply);
    reply.begun = { messageCount, quota };
    reply.held = held;
    reply.charged = task.groupIds ? { plan: await this.limits.planOf(task.userId), groupIds: task.groupIds } : null;
    this.database.onCommit(() => this.registry.add(reply));
    return { reply, quota };
  }

  /** Stores turns of a user that need no reply. Call it within `Database.write`. @throws the errors of `turns` */
  async append<Chat, Stored>(manager: EntityManager, userId: number, turns: NewTurns<Chat, Stored>): Promise<Stored> {
    const chat = await turns.lock();
    await this.usage.holdAccount(manager, userId);
    const stored = await turns.store(chat);
    await turns.claim(chat, stored);
    await this.events.publishAll(manager, turns.events(chat, stored));
    return stored;
  }

  /**
   * A new message counts as one message. Another reply to an old message and a compaction only need remaining tokens.
   */
  private takeQuota(
    manager: EntityManager,
    { task, retakesMessage }: Beginning,
    { chatId, userMessageId }: StoredIds,
  ): Promise<QuotaRemaining> {
    const { userId, tier, apiKeyId, tokensPerDay, agent, startedAt: at } = task;
    const spender = { userId, tier, apiKeyId, tokensPerDay };
    const message = { ...spender, chatId, messageId: userMessageId, agentId: agent.id, at };
    return task.messages === 2
      ? this.usage.recordUserMessage(manager, message)
      : this.usage.requireTokens(manager, spender, retakesMessage);
  }
}
