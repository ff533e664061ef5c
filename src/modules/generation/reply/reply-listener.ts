import type { ToolProgress } from '../../tool/tool.api';
import type { ShownAction } from '../acting/shown-action';
import type { ReplyEnd } from './reply-end';

/**
 * What is told of a call while it is made, and not kept: how far it has come, or what its server asks. A question is told again when
 * it is not open any more.
 */
export type ReplyAside =
  | { kind: 'progress'; call: number; progress: ToolProgress }
  | { kind: 'question'; shown: ShownAction };

/** The open questions, after this one has come or has ended. */
export function withQuestion(open: readonly ShownAction[], shown: ShownAction): readonly ShownAction[] {
  const others = open.filter(({ action }) => action.id !== shown.action.id);
  return shown.action.state === 'open' ? [...others, shown] : others;
}

/** Hears of a reply's progress, synchronously, as it happens. */
export interface ReplyListener {
  onText(text: string): void;
  /** A piece of the reasoning. */
  onReasoning?(text: string): void;
  /** A call of a function began, or its arguments grew. */
  onToolCall?(): void;
  /** Something about a call that is being made. */
  onAside?(aside: ReplyAside): void;
  /** The conversation before was made shorter. */
  onCompaction?(): void;
  /** The model gave its first sign of life, but nothing to show. */
  onLife?(): void;
  /** An attempt has failed, and another one is to come, or has begun. */
  onRefusal?(): void;
  /** The reply has ended, and is stored. */
  onEnd(end: ReplyEnd): void;
}

export function onAnything(settle: () => void): ReplyListener {
  return {
    onText: settle,
    onReasoning: settle,
    onToolCall: settle,
    onCompaction: settle,
    onLife: settle,
    onEnd: settle,
  };
}

export function onEnd(settle: () => void): ReplyListener {
  return { onText: () => undefined, onEnd: settle };
}
