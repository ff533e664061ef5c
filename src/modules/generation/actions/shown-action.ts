import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { ToolActionEntity } from './tool-action.entity';
import { ToolCallEntity } from './tool-call.entity';

/** An action and the tool call it belongs to. */
export interface ShownAction {
  action: ToolActionEntity;
  call: ToolCallEntity;
}

/** Reads actions with their calls, as they are shown to users. */
@Injectable()
export class OpenActions {
  constructor(private readonly database: Database) {}

  /** The undecided actions of a reply, in the order of their calls. */
  async ofReply(messageId: number, manager = this.database.manager): Promise<ShownAction[]> {
    const where = { messageId, state: 'open' } as const;
    return this.withCalls(await findRows(manager, ToolActionEntity, where, { order: { id: 'ASC' } }), manager);
  }

  async withCalls(actions: readonly ToolActionEntity[], manager = this.database.manager): Promise<ShownAction[]> {
    if (actions.length === 0) {
      return [];
    }
    const calls = await findRows(manager, ToolCallEntity, { id: In(actions.map(({ callId }) => callId)) });
    const byId = new Map(calls.map((call) => [call.id, call as ToolCallEntity]));
    return actions.flatMap((action) => {
      const call = byId.get(action.callId);
      return call === undefined ? [] : [{ action, call }];
    });
  }
}

/** The id of a call in the parts of its reply. The provider's own id is not used because a provider may repeat one. */
export function callIdOf({ messageId, number }: Pick<ToolCallEntity, 'messageId' | 'number'>): string {
  return `call_${messageId}_${number}`;
}

/**
 * Whether the user may approve the tool for all later calls with this decision. Not if untrusted content may have led
 * to the call or its arguments were edited: such calls need a decision each time.
 */
export function canRemember({ action, call }: ShownAction): boolean {
  const isUnedited = call.proposedArguments === null;
  return action.kind === 'approve' && action.approver === 'user' && call.isTainted === false && isUnedited;
}

/** Whether a person must decide about the call or report its outcome. */
export function isWaiting({ state, endedAt }: Pick<ToolCallEntity, 'state' | 'endedAt'>): boolean {
  return state === 'waiting' || (state === 'unknown' && endedAt === null);
}

/** Whether a call may be repeated while its outcome is unknown. */
export function isRepeatable({
  isReadOnly,
  isIdempotent,
}: Pick<ToolCallEntity, 'isReadOnly' | 'isIdempotent'>): boolean {
  return isReadOnly || isIdempotent;
}

/** Limit of attempts at one call that end in a crash. */
const MOST_CRASHED_ATTEMPTS = 3;

/** Attempts at a call that returned nothing, except those that a shutdown interrupted. */
export function failedAttempts({
  attempts,
  interruptions,
  asked,
}: Pick<ToolCallEntity, 'attempts' | 'interruptions' | 'asked'>): number {
  return attempts - interruptions - (asked?.rounds ?? 0);
}

/**
 * Whether the service stops repeating a call that was running when its instance died. The call may be the cause of the
 * crash.
 */
export function isExhausted(call: ToolCallEntity): boolean {
  return failedAttempts(call) >= MOST_CRASHED_ATTEMPTS;
}
