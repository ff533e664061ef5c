import type { ToolActionEntity } from './tool-action.entity';
import type { ToolCallEntity } from './tool-call.entity';

/** An action with the call that it is about. */
export interface ShownAction {
  action: ToolActionEntity;
  call: ToolCallEntity;
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
