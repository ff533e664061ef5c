import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { ToolRegistry } from '../../tool/tool.api';
import { ReplyPlaces } from '../reply/reply-places';
import type { StoredReply } from '../reply/reply-row';
import {
  ActionAlreadyDecidedError,
  ActionExpiredError,
  ActionNotFoundError,
  ApproverRequiredError,
  ArgumentsChangedError,
} from './acting.errors';
import { changesBy } from './decisions/decided-call';
import { RunResumer } from './run-resumer';
import type { ShownAction } from './shown-action';
import { type ActionKind, type Decision, ToolActionEntity } from './tool-action.entity';
import type { ToolCallEntity } from './tool-call.entity';
import { ToolRunStore } from './tool-run.store';

/** What somebody decides. */
export interface DecisionWish {
  decision: Decision;
  /** Of the action, as it was shown; not needed to deny. */
  argumentsHash: string | null;
  /** Arguments in the place of those that were asked about; null: those. */
  arguments: Record<string, unknown> | null;
  reason: string | null;
  text: string | null;
}

/** Hears in the transaction of a decision that a reply goes on: as it was stored when it waited. */
export type RunTaken = (manager: EntityManager, reply: StoredReply) => Promise<void>;

/** What somebody decides about an action, with arguments as its tool reads them. */
interface Wished {
  found: ShownAction;
  wish: DecisionWish;
}

const FITTING: Record<ActionKind, readonly Decision[]> = {
  approve: ['approve', 'deny'],
  unknown: ['retry', 'done', 'failed'],
  input: [],
  connect: [],
};

/** Who may decide an action of somebody: of their own, those that are the user's; of others, as approvers, never with a key. */
export function mayDecide(
  { userId, groupIds, userType, apiKeyId }: Principal,
  { approver, userId: ownerId }: Pick<ToolActionEntity, 'approver' | 'userId'>,
): boolean {
  if (approver === 'user') {
    return userId === ownerId;
  }
  const isApprover = approver === 'admin' ? userType === 'admin' : groupIds.includes(Number(approver.slice(6)));
  return isApprover && userId !== ownerId && apiKeyId === null && userType !== 'service';
}

/** Takes decisions: each action is decided once, whoever asks, on whatever instance. */
@Injectable()
export class ToolDecisions {
  private readonly listeners: RunTaken[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ToolRegistry,
    private readonly places: ReplyPlaces,
    private readonly runs: ToolRunStore,
    private readonly resumer: RunResumer,
  ) {}

  /** @throws ActionNotFoundError when the caller may not see it */
  async find(principal: Principal, chatId: number, id: number): Promise<ShownAction> {
    const action = await findRow(this.database.manager, ToolActionEntity, { id, chatId });
    const [shown] = action === null ? [] : await this.runs.withCalls([action]);
    if (shown === undefined || !(shown.action.userId === principal.userId || mayDecide(principal, shown.action))) {
      throw new ActionNotFoundError();
    }
    return shown;
  }

  /**
   * Stores the decision, and goes on with the reply.
   *
   * @throws ActionNotFoundError, ApproverRequiredError, ActionExpiredError, ActionAlreadyDecidedError, ArgumentsChangedError,
   *   ValidationFailedError
   */
  async decide(principal: Principal, chatId: number, id: number, wish: DecisionWish): Promise<ShownAction> {
    return (await this.decideAll(principal, chatId, [{ id, wish }]))[0] as ShownAction;
  }

  /**
   * The same for several actions of one reply, in one transaction.
   *
   * @param hear is told in it when the reply goes on; absent: those who listen are
   */
  async decideAll(
    principal: Principal,
    chatId: number,
    wishes: readonly { id: number; wish: DecisionWish }[],
    hear?: RunTaken,
  ): Promise<ShownAction[]> {
    const read: Wished[] = [];
    for (const { id, wish } of wishes) {
      const found = await this.find(principal, chatId, id);
      if (!mayDecide(principal, found.action)) {
        throw new ApproverRequiredError();
      }
      requireFitting(found, wish);
      read.push({ found, wish: { ...wish, arguments: await this.read(found.call, wish) } });
    }
    const messageId = read[0]?.found.action.messageId ?? 0;
    if (read.some(({ found }) => found.action.messageId !== messageId)) {
      throw new ActionNotFoundError();
    }
    const { shown, isTaken } = await this.database.write((manager) =>
      this.storeAll(manager, principal.userId, messageId, read, hear),
    );
    if (isTaken) {
      await this.resumer.start(messageId);
    }
    return shown;
  }

  /** Hears of each reply that goes on, in the transaction of the decision. */
  onTaken(listener: RunTaken): void {
    this.listeners.push(listener);
  }

  private async storeAll(
    manager: EntityManager,
    userId: number,
    messageId: number,
    wishes: readonly Wished[],
    hear?: RunTaken,
  ): Promise<{ shown: ShownAction[]; isTaken: boolean }> {
    const run = await this.runs.lock(manager, messageId);
    if (run === null) {
      throw new ActionNotFoundError();
    }
    const shown: ShownAction[] = [];
    let isNew = false;
    for (const { found, wish } of wishes) {
      const stored = await this.store(manager, userId, found, wish);
      shown.push(stored.shown);
      isNew ||= stored.isNew;
    }
    const reply = isNew ? await this.places.find(messageId) : null;
    const isTaken = reply !== null && (await this.resumer.take(manager, run, reply.row, reply.place));
    if (isTaken) {
      for (const listener of hear === undefined ? this.listeners : [hear]) {
        await listener(manager, reply.row);
      }
    }
    return { shown, isTaken };
  }

  private async store(
    manager: EntityManager,
    userId: number,
    { action: { id } }: ShownAction,
    wish: DecisionWish,
  ): Promise<{ shown: ShownAction; isNew: boolean }> {
    const action = await findRow(manager, ToolActionEntity, { id }, { lock: 'wait' });
    const [shown] = action === null ? [] : await this.runs.withCalls([action], manager);
    if (shown === undefined) {
      throw new ActionNotFoundError();
    }
    if (shown.action.state !== 'open') {
      requireSame(shown.action, wish);
      return { shown, isNew: false };
    }
    const at = this.clock.now();
    if (shown.action.expiresAt !== null && shown.action.expiresAt <= at) {
      throw new ActionExpiredError();
    }
    if (wish.decision !== 'deny' && wish.argumentsHash !== shown.call.argumentsHash) {
      throw new ArgumentsChangedError();
    }
    const { decision, arguments: edited, reason, text } = wish;
    await this.runs.close(manager, shown, {
      ...{ state: 'decided' as const, decision, decidedBy: userId, decidedAt: at },
      ...{ edited, reason, text },
    });
    await this.runs.change(manager, shown.call, ['waiting', 'unknown'], changesBy(wish, at));
    return { shown, isNew: true };
  }

  /** @throws ValidationFailedError for arguments that the tool does not take */
  private async read(call: ToolCallEntity, wish: DecisionWish): Promise<Record<string, unknown> | null> {
    if (wish.arguments === null) {
      return null;
    }
    const tool = this.registry.find(call.name);
    if (tool === undefined) {
      throw ValidationFailedError.of('arguments', 'not_offered');
    }
    const read = await this.registry.read(tool, wish.arguments);
    const [first, ...others] = (read.faults ?? []).map(({ path }) => ({
      field: path === '' ? 'arguments' : `arguments.${path}`,
      reason: 'invalid_format',
    }));
    if (first !== undefined || !('input' in read)) {
      throw new ValidationFailedError([first ?? { field: 'arguments', reason: 'invalid_format' }, ...others]);
    }
    return read.input as Record<string, unknown>;
  }
}

/** @throws ValidationFailedError */
function requireFitting({ action }: ShownAction, wish: DecisionWish): void {
  const { decision, argumentsHash, arguments: edited, text } = wish;
  if (!FITTING[action.kind].includes(decision)) {
    throw ValidationFailedError.of('decision', 'not_offered');
  }
  if (decision !== 'deny' && argumentsHash === null) {
    throw ValidationFailedError.of('arguments_hash', 'required');
  }
  if (edited !== null && decision !== 'approve') {
    throw ValidationFailedError.of('arguments', 'not_offered');
  }
  if ((text !== null) !== (decision === 'done')) {
    throw ValidationFailedError.of('text', decision === 'done' ? 'required' : 'not_offered');
  }
}

/** The same decision again is answered the same. @throws ActionExpiredError, ActionAlreadyDecidedError */
function requireSame(action: ToolActionEntity, { decision, arguments: edited, text }: DecisionWish): void {
  if (action.state === 'expired') {
    throw new ActionExpiredError();
  }
  const isSame = isDeepStrictEqual([action.decision, action.edited, action.text], [decision, edited, text]);
  if (action.state !== 'decided' || !isSame) {
    throw new ActionAlreadyDecidedError();
  }
}
