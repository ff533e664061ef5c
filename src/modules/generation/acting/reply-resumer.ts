import { Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Lifecycle } from '../../../common/lifecycle';
import { parseDecimal } from '../../../common/money/amount';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { ApiKeyQuery } from '../../api-key/api-key.api';
import type { RemoteSecrets } from '../../tool/tool.api';
import { type Spender, UsageService } from '../../usage/usage.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { isExhausted } from '../actions/shown-action';
import type { ToolCallEntity } from '../actions/tool-call.entity';
import { ReplyBudget } from '../paying/reply-budget';
import { ReplyPieces } from '../pieces/reply-pieces';
import type { GenerationTask } from '../reply/generation-task';
import { retryWhileDatabaseIsAway } from '../reply/reply-failure';
import { ReplyKnowledge } from '../reply/reply-knowledge';
import { type ReplyTable, ReplyTables } from '../reply/reply-origin';
import { ReplyRegistry } from '../reply/reply-registry';
import type { ReplyRounds } from '../reply/reply-rounds';
import type { StoredReply } from '../reply/reply-row';
import { ReplySpans } from '../reply/reply-spans';
import { restore } from '../reply/reply-steps';
import { RunningReply } from '../reply/running-reply';
import { ReplyRunner } from '../running/reply-runner';
import { ActingConfig } from './acting.config';
import { ActionAlreadyDecidedError } from './acting.errors';
import { SENTENCES } from './calling/tool-sentences';
import { CutRounds } from './cut-rounds';
import type { ReplyRoundsEntity } from './reply-rounds.entity';
import { RoundStore } from './round.store';
import { ToolOffer } from './tool-offer';

const MAY_GO_ON = "id = ? AND status = 'requires_action'";
const IS_ABANDONED = "id = ? AND status = 'streaming' AND owner_id = ?";

/** A reply that can only be ended. */
export interface StoppedRounds {
  rounds: ReplyRounds;
  /** Whether a call with effects was started. Repeating the whole request could then repeat its effects. */
  hasEffects: boolean;
  /** Whether the model may have been called again. */
  isModelCalled: boolean;
}

/** Continues replies that waited for a person or whose instance died. */
@Injectable()
export class ReplyResumer implements OnApplicationBootstrap {
  private readonly logger = new Logger(ReplyResumer.name);
  /** False until all modules have registered their tools. */
  private isReady = false;

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: ActingConfig,
    private readonly places: ReplyTables,
    private readonly registry: ReplyRegistry,
    private readonly runner: ReplyRunner,
    private readonly roundStore: RoundStore,
    private readonly pieces: ReplyPieces,
    private readonly offer: ToolOffer,
    private readonly usage: UsageService,
    private readonly users: UserDirectoryQuery,
    private readonly keys: ApiKeyQuery,
    private readonly cutRounds: CutRounds,
    private readonly budget: ReplyBudget,
    private readonly knowledge: ReplyKnowledge,
    private readonly spans: ReplySpans,
  ) {}

  onApplicationBootstrap(): void {
    this.isReady = true;
  }

  /**
   * Within `Database.write`: takes a waiting reply. Call `start` after the commit.
   *
   * @returns its new epoch. Null when the reply does not wait because it already continues
   * @throws ActionAlreadyDecidedError when its conversation has continued without it
   */
  async take(
    manager: EntityManager,
    rounds: ReplyRoundsEntity,
    reply: StoredReply,
    place: ReplyTable,
  ): Promise<number | null> {
    const goingOn = { status: 'streaming' as const, ownerId: this.registry.ownerId, stopRequestedAt: null };
    const spans = await this.spans.takeOver(manager, place, rounds.messageId);
    const changes = { ...goingOn, updatedAt: this.clock.now(), ...spans };
    if ((await updateRows(manager, place.entity, changes, MAY_GO_ON, [rounds.messageId])) === 0) {
      return null;
    }
    const epoch = await this.roundStore.raise(manager, rounds);
    if (!(await place.reopen?.(manager, reply))) {
      throw new ActionAlreadyDecidedError();
    }
    return epoch;
  }

  /**
   * Continues a reply that was taken, unless another instance has taken it since.
   *
   * @param secrets the user's credentials for MCP servers of the request. Empty if the reply continues without the user
   * @param cutAt when the round that a crash interrupted was requested from the model. Null: no round was interrupted
   */
  async start(messageId: number, epoch: number, secrets: RemoteSecrets = [], cutAt: Date | null = null): Promise<void> {
    const rounds = await this.roundStore.find(messageId);
    const found = await this.places.find(messageId);
    const rebuilt = await found?.place.rebuildRun?.(messageId);
    if (rounds === null || rebuilt === undefined) {
      throw new Error(`The reply ${messageId} has no stored rounds.`);
    }
    if (rounds.epoch !== epoch) {
      return;
    }
    const { row, task, origin } = rebuilt;
    const offered = await this.findOffer(rounds, task, secrets);
    const spender = await this.spenderOf(rounds, task);
    const continued: GenerationTask = { ...task, ...spender, language: rounds.task.language, ...offered };
    this.spans.resume(messageId, continued);
    const reply = new RunningReply(row.chatId, row.parentId ?? 0, messageId, continued, origin, this.places.driver);
    this.spans.identify(reply);
    await this.knowledge.fillRows(task.userId, [row]);
    restore(reply, row);
    reply.earlierRequests = row.trace ?? [];
    const cost = rounds.cost === null ? null : parseDecimal(rounds.cost);
    const { round, calls, stepCount } = rounds;
    const isCut = reply.resume({ epoch, round, calls: Math.max(calls, reply.toolCalls.length), stepCount, cost }, row);
    if (cutAt !== null) {
      await this.cutRounds.record(reply, cutAt);
    }
    reply.beginAgain(isCut);
    const quota = await this.usage.remaining(spender);
    reply.begun = { messageCount: rebuilt.messageCount, quota };
    this.registry.add(reply);
    if (await retryWhileDatabaseIsAway(() => this.isStopped(reply))) {
      reply.abort('stopped');
    }
    this.runner.start(reply);
  }

  /** The tools of the continued reply and its policies. */
  private async findOffer(
    rounds: ReplyRoundsEntity,
    task: GenerationTask,
    secrets: RemoteSecrets,
  ): Promise<Pick<GenerationTask, 'acting' | 'options'>> {
    const { policies, rules, remote: servers, knowledge } = rounds.task;
    const remote = servers && { servers, secrets };
    const tightening = { policies, ...(rules && { rules }) };
    const wish = {
      tightening,
      asked: task.options,
      remote,
      knowledge: knowledge?.storeIds,
      fileSearch: knowledge?.fileSearch,
    };
    const offered = await this.offer.of(task.agent, task.userId, wish);
    const callers = (task.options?.tools ?? []).map(({ name }) => name);
    return offered ?? { acting: { ...tightening, ...(remote && { remote }), callers }, options: task.options };
  }

  /** Uses today's limits, because they may have been lowered since the request. */
  private async spenderOf(rounds: ReplyRoundsEntity, { userId, apiKeyId }: GenerationTask): Promise<Spender> {
    const tier = await this.users.tierOf(userId);
    const ofKey = apiKeyId === null ? undefined : await this.keys.tokensPerDayOf(apiKeyId);
    return { userId, tier, apiKeyId, tokensPerDay: ofKey === undefined ? rounds.task.tokensPerDay : ofKey };
  }

  /**
   * Takes over a reply whose instance died or left it at shutdown.
   *
   * @param ownerId that instance
   * @returns true if the reply has stored rounds, and continues here or later; false if it has none. `StoppedRounds` if the reply
   *   cannot continue because its prompt was not stored
   */
  async takeAbandoned(messageId: number, ownerId: string | null): Promise<boolean | StoppedRounds> {
    if ((await this.roundStore.find(messageId)) === null) {
      return false;
    }
    if (!this.isReady || this.lifecycle.isDraining) {
      return true;
    }
    if ((await this.places.find(messageId))?.place.rebuildRun === undefined) {
      return (await this.database.write((manager) => this.cut(manager, messageId))) ?? false;
    }
    const seized = await this.database.write((manager) => this.seize(manager, messageId, ownerId));
    if (seized !== null) {
      this.logger.warn({ message_id: messageId }, 'An abandoned reply continues.');
      await this.start(messageId, seized.epoch, [], seized.askedAt);
    }
    return true;
  }

  /** Whether the reply was stopped while no instance had it. Later stops reach the instance through the registry. */
  private async isStopped({ messageId, origin }: RunningReply): Promise<boolean> {
    const options = { members: ['stopRequestedAt'] } as const;
    const row = await findRow(this.database.manager, origin.place.entity, { id: messageId }, options);
    return row !== null && row.stopRequestedAt !== null;
  }

  /** Takes a reply only to end it. Null: it has already ended. */
  private async cut(manager: EntityManager, messageId: number): Promise<StoppedRounds | null> {
    const rounds = await this.roundStore.lock(manager, messageId);
    if (rounds === null) {
      return null;
    }
    const { round, calls: made, stepCount } = rounds;
    const epoch = await this.roundStore.raise(manager, rounds);
    const calls = await this.roundStore.calls(messageId, manager);
    return {
      rounds: { epoch, round, calls: made, stepCount, cost: null },
      hasEffects: calls.some(({ isReadOnly, attempts }) => !isReadOnly && attempts > 0),
      isModelCalled: calls.every(({ endedAt }) => endedAt !== null),
    };
  }

  /** @returns the rounds as they were taken. Null when the reply no longer belongs to the dead instance */
  private async seize(
    manager: EntityManager,
    messageId: number,
    ownerId: string | null,
  ): Promise<ReplyRoundsEntity | null> {
    const rounds = await this.roundStore.lock(manager, messageId);
    const found = await this.places.find(messageId);
    if (rounds === null || found === null) {
      return null;
    }
    const { place, row } = found;
    await this.pieces.complete(place.entity, [row]);
    row.parts = withCutCalls(row.parts, rounds.calls);
    const spans = await this.spans.takeOver(manager, place, messageId);
    const changes = { ownerId: this.registry.ownerId, updatedAt: this.clock.now(), ...spans };
    if ((await updateRows(manager, place.entity, changes, IS_ABANDONED, [messageId, ownerId ?? ''])) === 0) {
      return null;
    }
    const epoch = await this.roundStore.raise(manager, rounds);
    await this.pieces.fold(manager, place.entity, row);
    if (rounds.askedAt === null) {
      // Earlier versions do not store when they called the model.
      await this.budget.settleLost(manager, messageId);
    }
    for (const call of await this.roundStore.calls(messageId, manager)) {
      if (this.isUnknown(call)) {
        await this.roundStore.apply(manager, call, 'crash', {}, [call.state]);
        await this.roundStore.ask(manager, call, 'unknown');
      } else if (call.state === 'running' && isExhausted(call)) {
        const failed = { isError: true, result: SENTENCES.crashed, endedAt: this.clock.now() };
        await this.roundStore.apply(manager, call, 'exhaust', failed);
      } else if (call.state === 'running') {
        await this.roundStore.apply(manager, call, 'repeatAfterCrash');
      }
    }
    return { ...rounds, epoch };
  }

  /**
   * Whether a person has to report the outcome. After a restored backup any call with effects may already have
   * happened, even an idempotent one.
   */
  private isUnknown(call: ToolCallEntity): boolean {
    return this.config.RECOVER === 'ask'
      ? !call.isReadOnly && (call.state === 'approved' || call.state === 'running')
      : call.state === 'running' && !call.isReadOnly && (!call.isIdempotent || isExhausted(call));
  }
}

/** Marks calls as cancelled that a crash cut off before they were stored. */
function withCutCalls(parts: StoredReply['parts'], written: number): StoredReply['parts'] {
  let number = 0;
  return (
    parts?.map((part) =>
      part.type === 'tool_call' && number++ >= written ? { ...part, state: 'cancelled' as const } : part,
    ) ?? null
  );
}
