import type { ToolActionEntity } from './tool-action.entity';
import type { ToolCallEntity } from './tool-call.entity';

/** An action with the call that it is about. */
export interface ShownAction {
  action: ToolActionEntity;
  call: ToolCallEntity;
}

/** The id of a call in the parts of its reply: a provider may use one of its own twice. */
export function callIdOf({ messageId, number }: Pick<ToolCallEntity, 'messageId' | 'number'>): string {
  return `call_${messageId}_${number}`;
}

/**
 * Whether its user may allow the tool once and for all with it: what text from outside may have led to, and what was edited, is
 * decided each time.
 */
export function canRemember({ action, call }: ShownAction): boolean {
  const isUnedited = call.proposedArguments === null;
  return action.kind === 'approve' && action.approver === 'user' && call.isTainted === false && isUnedited;
}

/** A call whose result a person has to tell or to wait for. */
export function isWaiting({ state, endedAt }: Pick<ToolCallEntity, 'state' | 'endedAt'>): boolean {
  return state === 'waiting' || (state === 'unknown' && endedAt === null);
}

/** Whether a call may be made again where nobody knows what became of it. */
export function isRepeatable({
  isReadOnly,
  isIdempotent,
}: Pick<ToolCallEntity, 'isReadOnly' | 'isIdempotent'>): boolean {
  return isReadOnly || isIdempotent;
}

/** Attempts of one call across crashes. */
const MOST_CRASHED_ATTEMPTS = 3;

/** Attempts at a call that had no answer, except those that a shutdown ended. */
export function failedAttempts({
  attempts,
  interruptions,
  asked,
}: Pick<ToolCallEntity, 'attempts' | 'interruptions' | 'asked'>): number {
  return attempts - interruptions - (asked?.rounds ?? 0);
}

/** Whether a call that ran when its instance died is not repeated by the service: it may be what ends the process. */
export function isExhausted(call: ToolCallEntity): boolean {
  return failedAttempts(call) >= MOST_CRASHED_ATTEMPTS;
}
