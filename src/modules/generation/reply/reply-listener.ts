import type { ReplyAside } from './reply-aside';
import type { ReplyEnd } from './reply-end';

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
