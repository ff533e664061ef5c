import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { toStorableText } from '../../../integrations/llm/port/storable-text';
import { ToolRegistry } from '../../tool/tool.api';
import { ReplyPlaces } from '../reply/reply-places';
import {
  ActionAlreadyDecidedError,
  ActionExpiredError,
  ActionNotFoundError,
  ApproverRequiredError,
  ArgumentsChangedError,
} from './acting.errors';
import { RunResumer } from './run-resumer';
import type { ShownAction } from './shown-action';
import { type ActionKind, type Decision, ToolActionEntity } from './tool-action.entity';
import type { ToolCallEntity } from './tool-call.entity';
import { SENTENCES } from './tool-caller';
import { ToolRunStore } from './tool-run.store';
import { toolText } from './tool-text';

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
    const found = await this.find(principal, chatId, id);
    if (!mayDecide(principal, found.action)) {
      throw new ApproverRequiredError();
    }
    requireFitting(found, wish);
    const edited = await this.read(found.call, wish);
    const { shown, isTaken } = await this.database.write((manager) =>
      this.store(manager, principal.userId, found, { ...wish, arguments: edited }),
    );
    if (isTaken) {
      await this.resumer.start(shown.action.messageId);
    }
    return shown;
  }

  private async store(
    manager: EntityManager,
    userId: number,
    { action: { id, messageId } }: ShownAction,
    wish: DecisionWish,
  ): Promise<{ shown: ShownAction; isTaken: boolean }> {
    const run = await this.runs.lock(manager, messageId);
    const action = await findRow(manager, ToolActionEntity, { id }, { lock: 'wait' });
    const [shown] = action === null ? [] : await this.runs.withCalls([action], manager);
    if (shown === undefined || run === null) {
      throw new ActionNotFoundError();
    }
    if (shown.action.state !== 'open') {
      requireSame(shown.action, wish);
      return { shown, isTaken: false };
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
    const found = await this.places.find(messageId);
    const isTaken = found !== null && (await this.resumer.take(manager, run, found.row, found.place));
    return { shown, isTaken };
  }

  /** @throws ValidationFailedError for arguments that the tool does not take */
  private async read(call: ToolCallEntity, wish: DecisionWish): Promise<Record<string, unknown> | null> {
    if (wish.arguments === null) {
      return null;
    }
    const tool = await this.registry.find(call.name, call.userId);
    if (tool === undefined || (tool.served?.pin ?? null) !== call.pin) {
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

function changesBy({ decision, reason, text }: DecisionWish, at: Date): Partial<ToolCallEntity> {
  switch (decision) {
    case 'approve':
    case 'retry':
      return { state: 'approved' };
    case 'deny':
      return {
        state: 'denied',
        isError: true,
        endedAt: at,
        result: reason ? `${SENTENCES.denied} ${reason}` : SENTENCES.denied,
      };
    case 'done':
      return { state: 'succeeded', isError: false, endedAt: at, result: toolText(toStorableText(text ?? '')).kept };
    case 'failed':
      return { state: 'failed', isError: true, endedAt: at, result: reason ?? SENTENCES.unknown };
  }
}
