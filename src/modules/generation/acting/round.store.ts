import { Injectable } from '@nestjs/common';
import { type EntityManager, In, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import type { ListPart } from '../../../common/envelope/total-count';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { SECOND_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { findPage, findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import type { Where } from '../../../database/statements/row-condition';
import { findLocked } from '../../../database/statements/row-lock';
import { runStatement } from '../../../database/statements/run-statement';
import { updateRows } from '../../../database/statements/update';
import type { ToolCallState } from '../../../integrations/llm/port/message-parts';
import { isWaiting, OpenActions, type ShownAction } from '../actions/shown-action';
import {
  type ActionKind,
  type ActionQuestion,
  type ActionState,
  ToolActionEntity,
} from '../actions/tool-action.entity';
import { type AskedQuestions, ToolCallEntity } from '../actions/tool-call.entity';
import { ReplyContinuesError, ReplyLostError } from '../reply/reply-rounds';
import type { RunningReply } from '../reply/running-reply';
import { ActingConfig } from './acting.config';
import { actionEvent, calledEvent } from './acting.events';
import { CALL_STATES, type CallEvent } from './call-states';
import { ReplyRoundsEntity } from './reply-rounds.entity';

const SOURCES =
  "SELECT DISTINCT COALESCE(server, source) FROM tool_calls WHERE outside = 1 AND attempts > 0 AND state IN ('succeeded', 'failed')";
const SOURCES_OF_CHAT = `${SOURCES} AND chat_id = ?`;
const SOURCES_OF_REPLY = `${SOURCES} AND message_id = ?`;

/** What an event stores of a call in addition to its state. */
export type CallChanges = Partial<Omit<ToolCallEntity, 'state'>>;

/** Whether the questions of the call's MCP server still apply in its current state. */
function areQuestionsOpen({ state }: ToolCallEntity, { kind }: AskedQuestions): boolean {
  return state === 'running' || (kind !== 'open' && (state === 'waiting' || state === 'approved'));
}

/**
 * Rounds, calls and actions in the database. Methods with a manager run within `Database.write`, after the reply was
 * locked.
 */
@Injectable()
export class RoundStore {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly config: ActingConfig,
  ) {}

  find(messageId: number): Promise<ReplyRoundsEntity | null> {
    return findRow(this.database.manager, ReplyRoundsEntity, { messageId });
  }

  /** Locks the rounds while this instance has the reply, and changes them. @throws ReplyLostError */
  async hold(
    manager: EntityManager,
    reply: RunningReply,
    changes: Partial<Pick<ReplyRoundsEntity, 'askedAt'>> = {},
  ): Promise<void> {
    if (!(await this.holds(manager, reply, changes))) {
      throw new ReplyLostError(reply.messageId);
    }
  }

  /** The same as `hold`. @returns false when another instance has the reply */
  async holds(
    manager: EntityManager,
    { messageId, rounds }: RunningReply,
    changes: Partial<Pick<ReplyRoundsEntity, 'askedAt'>> = {},
  ): Promise<boolean> {
    const held = { ...changes, updatedAt: this.clock.now() };
    const isMine = 'message_id = ? AND epoch = ?';
    return (await updateRows(manager, ReplyRoundsEntity, held, isMine, [messageId, rounds?.epoch ?? 0])) > 0;
  }

  /** Takes over a locked reply. Its previous instance can no longer write. @returns its new epoch */
  async raise(manager: EntityManager, { messageId, epoch }: ReplyRoundsEntity): Promise<number> {
    await updateRows(manager, ReplyRoundsEntity, { epoch: epoch + 1, updatedAt: this.clock.now() }, { messageId });
    return epoch + 1;
  }

  /** Whether a round of the reply is already stored. Locks the reply. */
  async hasRound(
    manager: EntityManager,
    messageId: number,
    { epoch, round }: Pick<ReplyRoundsEntity, 'epoch' | 'round'>,
  ): Promise<boolean> {
    const rounds = await this.lock(manager, messageId);
    return rounds?.epoch === epoch && rounds.round === round;
  }

  /** Locks the reply, whichever instance has it. */
  lock(manager: EntityManager, messageId: number): Promise<ReplyRoundsEntity | null> {
    return findLocked(manager, ReplyRoundsEntity, { messageId });
  }

  /** @throws ReplyContinuesError when no call waits for a person any more, or when an approved call can be made */
  async requireWaiting(manager: EntityManager, messageId: number): Promise<void> {
    const calls = await this.calls(messageId, manager);
    if (!calls.some(isWaiting) || calls.some(({ state }) => state === 'approved')) {
      throw new ReplyContinuesError(messageId);
    }
  }

  calls(messageId: number, manager = this.database.manager): Promise<ToolCallEntity[]> {
    return findRows(manager, ToolCallEntity, { messageId }, { order: { number: 'ASC' } });
  }

  /**
   * Creates an action about a call.
   *
   * @param asked the question of the MCP server, which only the user answers, and its expiry. No expiry: `ACTION_TTL`
   */
  async ask(
    manager: EntityManager,
    call: ToolCallEntity,
    kind: ActionKind,
    asked: { question: ActionQuestion; expiresAt?: Date } | null = null,
  ): Promise<ShownAction> {
    const at = this.clock.now();
    const { id: callId, messageId, chatId, userId } = call;
    const approver = asked === null ? call.approver : 'user';
    const overAt = asked?.expiresAt ?? new Date(at.getTime() + this.config.ACTION_TTL * SECOND_MILLISECONDS);
    const action = await insertEntity(manager, ToolActionEntity, {
      callId,
      messageId,
      chatId,
      userId,
      kind,
      approver,
      state: 'open',
      decision: null,
      decidedBy: null,
      decidedAt: null,
      question: asked?.question ?? null,
      answer: null,
      answerHash: null,
      edited: null,
      reason: null,
      text: null,
      shownText: null,
      shownNews: null,
      expiresAt: kind === 'unknown' ? null : overAt,
      createdAt: at,
    });
    await this.events.publish(manager, actionEvent({ action, call }));
    return { action, call };
  }

  /** The arguments of a call. An instance of an earlier version stores edited arguments only in the action. */
  async inputOf(manager: EntityManager, call: ToolCallEntity): Promise<unknown> {
    const where = { callId: call.id, state: 'decided', kind: 'approve' } as const;
    const approved = await findRow(manager, ToolActionEntity, where, { order: { id: 'DESC' } });
    return approved?.edited ?? call.arguments;
  }

  /** Whether this attempt at a call is already stored. */
  hasBegun(manager: EntityManager, { id }: ToolCallEntity, attempts: number): Promise<boolean> {
    return rowExists(manager, ToolCallEntity, { id, state: 'running', attempts });
  }

  /** Locks a call. @returns false when it is in another state */
  async lockInState(manager: EntityManager, { id }: ToolCallEntity, state: ToolCallState): Promise<boolean> {
    return (await findRow(manager, ToolCallEntity, { id, state }, { members: ['id'], lock: 'wait' })) !== null;
  }

  /** The ids of the calls that a person decided to retry. */
  async retried(manager: EntityManager, calls: readonly ToolCallEntity[]): Promise<ReadonlySet<number>> {
    if (calls.length === 0) {
      return new Set();
    }
    const where = { callId: In(calls.map(({ id }) => id)), kind: 'unknown', decision: 'retry' } as const;
    const retries = await findRows(manager, ToolActionEntity, where, { members: ['callId'] });
    return new Set(retries.map(({ callId }) => callId));
  }

  /** Changes an action that the same transaction found open. @returns false when it is not open any more */
  async close(
    manager: EntityManager,
    { action, call }: ShownAction,
    changes: Partial<ToolActionEntity>,
  ): Promise<boolean> {
    const closed = await updateRows(manager, ToolActionEntity, changes, "id = ? AND state = 'open'", [action.id]);
    if (closed > 0) {
      Object.assign(action, changes);
      await this.events.publish(manager, actionEvent({ action, call }));
    }
    return closed > 0;
  }

  /**
   * Changes the state of a call by an event.
   *
   * @param changes what is stored with the new state
   * @param from the state that the caller knows; otherwise all states of the event
   * @returns false when the call is in another state
   */
  apply(
    manager: EntityManager,
    call: ToolCallEntity,
    event: CallEvent,
    changes: CallChanges = {},
    from: readonly ToolCallState[] = CALL_STATES[event].from,
  ): Promise<boolean> {
    return this.change(manager, call, from, { ...changes, state: CALL_STATES[event].to });
  }

  /** Stores what the MCP server of a call asks. @returns false when the call is in another state */
  keepQuestions(
    manager: EntityManager,
    call: ToolCallEntity,
    from: ToolCallState,
    asked: AskedQuestions,
  ): Promise<boolean> {
    return this.change(manager, call, [from], { asked });
  }

  private async change(
    manager: EntityManager,
    call: ToolCallEntity,
    from: readonly ToolCallState[],
    changes: Partial<ToolCallEntity>,
  ): Promise<boolean> {
    const marks = from.map(() => '?').join(', ');
    const where = `id = ? AND state IN (${marks})`;
    const changed = await updateRows(manager, ToolCallEntity, changes, where, [call.id, ...from]);
    if (changed > 0) {
      Object.assign(call, changes);
      if (call.asked !== null && !areQuestionsOpen(call, call.asked)) {
        await this.forgetQuestions(manager, call);
      }
      // Only after the update: in a repeated transaction, `call` may still have values that were rolled back.
      if (changes.endedAt) {
        await this.events.publish(manager, calledEvent(call));
      }
    }
    return changed > 0;
  }

  /** Deletes the questions and answers of a call's MCP server once they are delivered or no longer needed. */
  private async forgetQuestions(manager: EntityManager, call: ToolCallEntity): Promise<void> {
    await updateRows(manager, ToolCallEntity, { asked: null }, { id: call.id });
    await updateRows(manager, ToolActionEntity, { answer: null }, 'call_id = ? AND answer IS NOT NULL', [call.id]);
    const where = { callId: call.id, kind: 'input', state: 'open' } as const;
    for (const action of await findRows(manager, ToolActionEntity, where)) {
      await this.close(manager, { action, call }, { state: 'cancelled', decidedAt: this.clock.now() });
    }
  }

  /** Whether an action of these calls expired. */
  async hasExpired(calls: readonly ToolCallEntity[]): Promise<boolean> {
    const ended = calls.filter(({ state }) => state === 'expired' || state === 'unknown').map(({ id }) => id);
    const expired = { callId: In(ended), state: 'expired' } as const;
    return ended.length > 0 && rowExists(this.database.manager, ToolActionEntity, expired);
  }

  /**
   * The modules and MCP servers whose tools returned untrusted content in the conversation of a reply, or in the reply
   * itself if it has no conversation. Failed calls count too.
   */
  async outsideSources({
    chatId,
    messageId,
  }: Pick<RunningReply, 'chatId' | 'messageId'>): Promise<ReadonlySet<string>> {
    const [statement, id] = chatId === 0 ? [SOURCES_OF_REPLY, messageId] : [SOURCES_OF_CHAT, chatId];
    const { rows } = await runStatement(this.database.manager, statement, [id]);
    return new Set(rows.map(([source]) => String(source)));
  }

  /**
   * Within `Database.write`: erases the arguments and results of a reply that is not stored. The calls and their states
   * stay.
   */
  async forget(manager: EntityManager, messageId: number): Promise<void> {
    await updateRows(
      manager,
      ToolCallEntity,
      { arguments: null, proposedArguments: null, result: null },
      'message_id = ?',
      [messageId],
    );
    await deleteRows(manager, ReplyRoundsEntity, { messageId });
  }

  /** The tools with effects that at least one of these replies started to call. */
  async effectsOf(messageIds: readonly number[]): Promise<ReadonlySet<string>> {
    const where = { messageId: In([...messageIds]), isReadOnly: false };
    const calls =
      messageIds.length === 0
        ? []
        : await findRows(this.database.manager, ToolCallEntity, where, { members: ['id', 'name', 'attempts'] });
    return new Set(calls.filter(({ attempts }) => attempts > 0).map(({ name }) => name));
  }
}

/** A page of a list. */
interface ListedPart {
  limit: number;
  offset: number;
}

/** Lists of actions, newest first. */
@Injectable()
export class ActionLists {
  constructor(
    private readonly database: Database,
    private readonly actions: OpenActions,
  ) {}

  ofChat(chatId: number, state: ActionState, part: ListedPart): Promise<ListPart<ShownAction>> {
    return this.list({ chatId, state }, part);
  }

  /** The user's own actions, and those of other users that this user may decide. */
  ofUser(principal: Principal, state: ActionState, part: ListedPart): Promise<ListPart<ShownAction>> {
    const { userId, groupIds, userType, scopes } = principal;
    const approvers = [...groupIds.map((id) => `group:${id}`), ...(userType === 'admin' ? ['admin'] : [])];
    const others = approvers.map((approver) => ({ userId: Not(userId), approver, state }));
    return this.list([{ userId, state }, ...(scopes === null ? others : [])], part);
  }

  /** All actions of these replies, in the order in which they were created. */
  async ofMessages(messageIds: readonly number[]): Promise<ShownAction[]> {
    if (messageIds.length === 0) {
      return [];
    }
    return this.ofRows({ messageId: In([...messageIds]) });
  }

  /** The approval actions of a reply, in any state. */
  ofReply(messageId: number): Promise<ShownAction[]> {
    return this.ofRows({ messageId, kind: 'approve' });
  }

  private async ofRows(where: Where<ToolActionEntity>): Promise<ShownAction[]> {
    return this.actions.withCalls(
      await findRows(this.database.manager, ToolActionEntity, where, { order: { id: 'ASC' } }),
    );
  }

  all(state: ActionState, part: ListedPart): Promise<ListPart<ShownAction>> {
    return this.list({ state }, part);
  }

  private async list(where: Where<ToolActionEntity>, { limit, offset }: ListedPart): Promise<ListPart<ShownAction>> {
    const options = { order: { id: 'DESC' }, limit, offset } as const;
    const { items, total } = await findPage(this.database.manager, ToolActionEntity, where, options);
    return { items: await this.actions.withCalls(items), total };
  }
}
