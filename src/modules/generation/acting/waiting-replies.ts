import { Injectable, Logger } from '@nestjs/common';
import { type EntityManager, In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { NO_USAGE } from '../../../common/token-usage';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findRows } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import type { ToolCallState } from '../../../integrations/llm/port/message-parts';
import { UserDirectoryQuery } from '../../user/user.api';
import { OpenActions } from '../actions/shown-action';
import { ToolActionEntity } from '../actions/tool-action.entity';
import { ToolCallEntity } from '../actions/tool-call.entity';
import { ReplyEndStore } from '../ending/reply-end.store';
import { completedOutcome, type GenerationOutcome, type ReplyEnd } from '../reply/reply-end';
import { retryWhileDatabaseIsAway } from '../reply/reply-failure';
import { ReplyTables } from '../reply/reply-origin';
import { restore } from '../reply/reply-steps';
import { RunningReply } from '../reply/running-reply';
import type { ClosingEvent } from './call-states';
import { CallResults } from './calling/call-results';
import { editOf } from './calling/tool-caller';
import { SENTENCES } from './calling/tool-sentences';
import { ReplyRoundsEntity } from './reply-rounds.entity';
import { RoundStore } from './round.store';

const WAITS = "id = ? AND status = 'requires_action'";
const STEP_MILLISECONDS = 5_000;
const MOST_AT_ONCE = 100;

/** Why a reply stops waiting without a decision. */
export type WaitingEnd = 'declined' | 'stopped' | 'expired';

const CLOSING: Record<WaitingEnd, ClosingEvent> = {
  declined: 'replace',
  stopped: 'cancel',
  expired: 'expire',
};

/**
 * Ends replies that wait for a person: when the conversation continues without them, when they are stopped or when they
 * expire.
 */
@Injectable()
export class WaitingReplies {
  private readonly logger = new Logger(WaitingReplies.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly places: ReplyTables,
    private readonly roundStore: RoundStore,
    private readonly actions: OpenActions,
    private readonly results: CallResults,
    private readonly replyEnds: ReplyEndStore,
    private readonly users: UserDirectoryQuery,
    events: DomainEvents,
    background: BackgroundWork,
  ) {
    for (const type of ['user.banned', 'user.deleted', 'user.suspended']) {
      events.on(type, ({ userId }) => Promise.resolve(this.stopOnCommit(userId ?? 0)));
    }
    background.add({
      step: () => this.expire(),
      onError: (error) => this.logger.warn({ error }, 'Actions that are over could not be ended.'),
      idleMilliseconds: STEP_MILLISECONDS,
    });
    background.add({
      step: () => this.endWithoutAccess(),
      onError: (error) => this.logger.warn({ error }, 'Replies that wait for nobody could not be looked through.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
  }

  /** @returns false when the reply does not wait */
  async end(messageId: number, how: WaitingEnd): Promise<boolean> {
    const state = await this.places.stateOf(messageId);
    return state?.status === 'requires_action' && this.database.write((manager) => this.close(manager, messageId, how));
  }

  /** Ends the reply as stopped if a user stopped it while this instance stored that it waits. */
  async unlessStopped({ messageId, abortReason }: RunningReply, end: ReplyEnd): Promise<ReplyEnd> {
    const isStopped = end.status === 'requires_action' && abortReason === 'stopped';
    if (!isStopped || !(await retryWhileDatabaseIsAway(() => this.end(messageId, 'stopped')))) {
      return end;
    }
    const { actions: _givenUp, ...others } = end;
    return { ...others, status: 'stopped', finishReason: 'cancelled' };
  }

  /** Stops all waiting replies of a user. */
  async stopAll(userId: number): Promise<void> {
    const open = { userId, state: 'open' as const };
    const actions = await findRows(this.database.manager, ToolActionEntity, open, { members: ['id', 'messageId'] });
    for (const messageId of new Set(actions.map((action) => action.messageId))) {
      await this.end(messageId, 'stopped');
    }
  }

  /** Expires actions that were not decided in time. */
  async expire(): Promise<null> {
    const due = { state: 'open' as const, expiresAt: LessThanOrEqual(this.clock.now()) };
    const actions = await findRows(this.database.manager, ToolActionEntity, due, {
      members: ['id', 'messageId'],
      limit: MOST_AT_ONCE,
    });
    for (const messageId of new Set(actions.map((action) => action.messageId))) {
      await this.database.write((manager) => this.expireActions(manager, messageId));
    }
    return null;
  }

  /**
   * Stops the waiting replies of users without access. A reply may have started to wait on another instance just after
   * its user was banned, and the process that handled the ban may have ended before it stopped all replies.
   */
  async endWithoutAccess(): Promise<null> {
    // Selecting `expiresAt` too makes the planner use the index on `state` instead of scanning the index on `user_id`.
    const members = ['userId', 'expiresAt'] as const;
    const open = await findRows(this.database.manager, ToolActionEntity, { state: 'open' }, { members });
    const users = [...new Set(open.map(({ userId }) => userId))];
    for (let next = 0; next < users.length; next += MOST_AT_ONCE) {
      for (const userId of await this.users.withoutAccess(users.slice(next, next + MOST_AT_ONCE))) {
        await this.stopAll(userId);
      }
    }
    return null;
  }

  private stopOnCommit(userId: number): void {
    this.database.onCommit(() => {
      this.stopAll(userId).catch((error: unknown) => {
        this.logger.error({ error, user_id: userId }, 'Replies that wait could not be ended.');
      });
    });
  }

  /** Expires the due actions of a reply. The reply ends only if all its open actions are due. */
  private async expireActions(manager: EntityManager, messageId: number): Promise<void> {
    // An instance that still makes other calls of this reply keeps it.
    await this.roundStore.lock(manager, messageId);
    const open = await this.actions.ofReply(messageId, manager);
    const now = this.clock.now();
    const isDue = ({ action }: (typeof open)[number]): boolean => action.expiresAt !== null && action.expiresAt <= now;
    const state = await this.places.stateOf(messageId);
    if (open.length > 0 && open.every(isDue) && state?.status === 'requires_action') {
      await this.close(manager, messageId, 'expired');
      return;
    }
    for (const shown of open.filter(isDue)) {
      if (await this.roundStore.close(manager, shown, { state: 'expired', decidedAt: now })) {
        await this.results.giveUp(manager, shown.call, 'waiting', 'expire', SENTENCES.expired);
      }
    }
  }

  /** Within `Database.write`: the same as `end`. */
  async close(manager: EntityManager, messageId: number, how: WaitingEnd): Promise<boolean> {
    const rounds = await this.roundStore.lock(manager, messageId);
    const found = await this.places.find(messageId);
    const streaming = { status: 'streaming' as const };
    if (
      rounds === null ||
      found === null ||
      (await updateRows(manager, found.place.entity, streaming, WAITS, [messageId])) === 0
    ) {
      return false;
    }
    const epoch = await this.roundStore.raise(manager, rounds);
    const rebuilt = await found.place.rebuildRun?.(messageId);
    if (rebuilt === undefined) {
      return false;
    }
    const { row, task, origin } = rebuilt;
    const { round, calls, stepCount } = rounds;
    const continued = { ...task, ...rounds.task };
    const reply = new RunningReply(row.chatId, row.parentId ?? 0, messageId, continued, origin, this.places.driver);
    restore(reply, row);
    reply.resume({ epoch, round, calls, stepCount, cost: null }, row);
    const givenUp = await this.results.cancelOpen(manager, messageId, CLOSING[how]);
    for (const call of givenUp) {
      const { number, state } = call;
      const ended = { kind: 'tool_result', call: number, content: sentenceOf(state), is_error: true, state } as const;
      reply.addToolEvent({ ...ended, ...editOf(call) });
    }
    const usage = row.tokenUsage ?? { ...NO_USAGE, cached: 0, reasoning: 0, isEstimated: true, model: null };
    await this.replyEnds.store(manager, reply, outcomeOf(how), { usage, costs: [] }, reply);
    return true;
  }

  /** Within `Database.write`: deletes the rounds, calls and actions of replies that are erased. */
  async forget(manager: EntityManager, messageIds: readonly number[]): Promise<void> {
    for (const entity of [ToolActionEntity, ToolCallEntity, ReplyRoundsEntity]) {
      await deleteRows<{ messageId: number }>(manager, entity, { messageId: In([...messageIds]) });
    }
  }
}

function sentenceOf(state: ToolCallState): string {
  switch (state) {
    case 'denied':
      return SENTENCES.denied;
    case 'expired':
      return SENTENCES.expired;
    case 'unknown':
      return SENTENCES.unknown;
    default:
      return SENTENCES.cancelled;
  }
}

function outcomeOf(how: WaitingEnd): GenerationOutcome {
  const reason = { declined: 'stop', stopped: 'cancelled', expired: 'action_expired' } as const;
  const completed = completedOutcome({ finishReason: reason[how], model: null, usage: null });
  return how === 'stopped' ? { ...completed, status: 'stopped' } : completed;
}
