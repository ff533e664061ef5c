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

/** Whether its user may allow the tool once and for all with it: what text from outside may have led to is decided each time. */
export function canRemember({ action, call }: ShownAction): boolean {
  return action.kind === 'approve' && action.approver === 'user' && call.isTainted === false;
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
