import type { ToolActionEntity } from './tool-action.entity';
import type { ToolCallEntity } from './tool-call.entity';

/** An action and the tool call it belongs to. */
export interface ShownAction {
  action: ToolActionEntity;
  call: ToolCallEntity;
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
