import type { ToolProgress } from '../../tool/tool.api';
import type { ShownAction } from '../acting/shown-action';

/**
 * What is told of a call while it is made, and not kept: how far it has come, or what its server asks. A question is told again when
 * it is not open any more.
 */
export type ReplyAside =
  { kind: 'progress'; call: number; progress: ToolProgress } | { kind: 'question'; shown: ShownAction };

/** The open questions, after this one has come or has ended. */
export function withQuestion(open: readonly ShownAction[], shown: ShownAction): readonly ShownAction[] {
  const others = open.filter(({ action }) => action.id !== shown.action.id);
  return shown.action.state === 'open' ? [...others, shown] : others;
}
