import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../database/database';
import type { QuotaRemaining, Spender } from '../../usage/usage.api';
import { ReplyLife } from '../elsewhere/reply-life';
import { IdempotencyService, type RepeatableRequest, type RequestResult } from '../idempotency/idempotency.service';
import { ReplyBudget, type ToldSize } from '../paying/reply-budget';
import type { GenerationTask } from '../reply/generation-task';
import type { LiveReply } from '../reply/live-reply';
import type { ReplyOrigin } from '../reply/reply-origin';
import { RunningReply, type StartedReply } from '../reply/running-reply';
import type { ExchangeBeginning } from '../reply/written-reply';
import { ReplyRegistry } from '../running/reply-registry';
import { ReplyRunner } from '../running/reply-runner';
import { RunningLimit } from './running-limit';

/** A reply whose beginning is stored. */
export interface BegunReply {
  reply: RunningReply;
  /** What the sender may still send today. */
  quota: QuotaRemaining;
}

/** What a reply begins with. */
interface Beginning {
  chatId: number;
  userMessageId: number;
  messageId: number;
  task: GenerationTask;
  origin: ReplyOrigin;
  begun: ExchangeBeginning;
}

/** How replies begin, whoever asks for them. */
@Injectable()
export class ReplyStarter {
  constructor(
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly limit: RunningLimit,
    private readonly budget: ReplyBudget,
    private readonly registry: ReplyRegistry,
    private readonly runner: ReplyRunner,
    private readonly life: ReplyLife,
  ) {}

  /** Names this process in the rows of the replies that it writes. */
  get ownerId(): string {
    return this.registry.ownerId;
  }

  /**
   * Begins a reply, and has it written. A request whose key was already served gets the same reply again, unless a crash has
   * cut it: then it is done anew.
   *
   * @param begin stores the beginning within `write`
   * @param find the reply of the earlier request
   * @throws IdempotencyConflictError, ServiceUnavailableError while the process shuts down, and what the two throw
   */
  async start(
    repeatable: RepeatableRequest,
    begin: () => Promise<BegunReply>,
    find: (stored: RequestResult) => Promise<LiveReply>,
  ): Promise<StartedReply> {
    this.runner.assertTakesReplies();
    return this.idempotency.once<StartedReply>(
      repeatable,
      async () => {
        const { reply, quota } = await begin();
        this.runner.start(reply);
        return { reply, quota };
      },
      // If only the answer to the COMMIT was lost, the beginning is stored, and recovery ends its reply.
      async (stored) => {
        const reply = await this.life.await(await find(stored));
        return reply.end?.status === 'interrupted' ? null : { reply, quota: null };
      },
    );
  }

  /** Whether `start` would answer with the reply of an earlier request. @throws IdempotencyConflictError */
  async isServed(repeatable: RepeatableRequest): Promise<boolean> {
    return (await this.idempotency.find(repeatable)) !== null;
  }

  /** Refuses what the beginning would be refused for. @throws QuotaExceededError, TooManyConcurrentError */
  requireRoom(sender: Spender): Promise<void> {
    return this.limit.requireRoom(sender);
  }

  /** Does `work` in the transaction with which a reply begins. @throws BudgetExceededError, and what `work` throws */
  write<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.budget.run(() => this.database.write(work));
  }

  /** Within `write`, when the rows are stored and the user's own are locked. @throws TooManyConcurrentError */
  async admit(
    manager: EntityManager,
    { userId, tier }: GenerationTask,
    repeatable: RepeatableRequest,
    stored: RequestResult,
  ): Promise<void> {
    await this.limit.assertMayRun(manager, userId, tier);
    await this.idempotency.keep(manager, repeatable, stored);
  }

  /**
   * Last within `write`, because everybody waits for the row of a budget that all share until this commits: holds what the
   * reply may cost. From the commit on this process knows the reply.
   *
   * @param told asked for only when a budget applies, with the tokens that a prompt may have
   * @throws ModelNotPricedError, and what `told` throws
   */
  async begin(
    manager: EntityManager,
    { chatId, userMessageId, messageId, task, origin, begun }: Beginning,
    told: (room: number) => Promise<ToldSize>,
  ): Promise<RunningReply> {
    const held = await this.budget.hold(manager, task, messageId, told);
    const reply = new RunningReply(chatId, userMessageId, messageId, task, origin);
    reply.begun = begun;
    reply.held = held;
    this.database.onCommit(() => this.registry.add(reply));
    return reply;
  }
}
