import type { ToolCallState } from '../../../integrations/llm/port/message-parts';

/** What an event makes of a tool call. */
export interface CallTransition {
  /** States in which the event occurs. Empty: the call is new. */
  from: readonly ToolCallState[];
  /** The event, for the documentation. */
  event: string;
  to: ToolCallState;
  /** What the same transaction stores in addition to the state. */
  writes: string;
}

/**
 * All states of the tool calls of a reply, by the events that change them. `RoundStore.apply` is the only code that changes
 * the state of a stored call. docs/tool-call-states.md shows this table, and a test compares the two.
 */
export const CALL_STATES = {
  // A round is stored.
  allow: { from: [], event: 'policy `auto`', to: 'approved', writes: 'the call' },
  ask: { from: [], event: 'policy `ask`', to: 'waiting', writes: 'the call, an action `approve`' },
  refuse: { from: [], event: 'policy `deny`, or no such tool', to: 'denied', writes: 'the call, its result' },
  reject: { from: [], event: 'malformed arguments', to: 'failed', writes: 'the call, its result' },
  limit: { from: [], event: 'limit reached', to: 'cancelled', writes: 'the call, its result' },

  // A person decides.
  approve: {
    from: ['waiting'],
    event: 'approve, an answer, or a connection',
    to: 'approved',
    writes: 'the decision, new arguments',
  },
  deny: { from: ['waiting'], event: 'deny', to: 'denied', writes: 'the decision, the result' },
  denyUncertain: {
    from: ['waiting'],
    event: 'deny, after an attempt without a result',
    to: 'unknown',
    writes: 'the decision, the result',
  },
  retry: { from: ['unknown'], event: 'retry', to: 'approved', writes: 'the decision' },
  reportDone: { from: ['unknown'], event: 'done', to: 'succeeded', writes: 'the decision, the result' },
  reportFailed: { from: ['unknown'], event: 'failed', to: 'failed', writes: 'the decision, the result' },

  // The call starts, or does not.
  start: { from: ['approved'], event: 'start', to: 'running', writes: 'the attempt, before the call is made' },
  askAfterCheck: {
    from: ['approved'],
    event: 'check before the start: approval needed',
    to: 'waiting',
    writes: 'policy, approver, an action `approve`',
  },
  denyAfterCheck: { from: ['approved'], event: 'check before the start: denied', to: 'denied', writes: 'the result' },
  unreachable: { from: ['approved'], event: 'the server does not answer', to: 'cancelled', writes: 'the result' },

  // The call returns.
  succeed: { from: ['running'], event: 'result', to: 'succeeded', writes: 'the result, the writes of the tool' },
  fail: { from: ['running'], event: '`ToolError`', to: 'failed', writes: 'the result' },
  repeat: { from: ['running'], event: 'no result, repeatable', to: 'approved', writes: 'interruptions' },
  lose: { from: ['running'], event: 'no result', to: 'unknown', writes: 'the duration, an action `unknown`' },
  loseUnasked: { from: ['running'], event: 'no result, and no person to ask', to: 'unknown', writes: 'the result' },
  question: {
    from: ['running'],
    event: 'the server asks',
    to: 'waiting',
    writes: 'the questions, an action `input` for each',
  },
  connect: {
    from: ['approved', 'running'],
    event: 'the user must connect',
    to: 'waiting',
    writes: 'the attempts, an action `connect`',
  },
  denyQuestion: {
    from: ['approved', 'running'],
    event: 'a question, and no person to ask',
    to: 'denied',
    writes: 'the result',
  },
  askAgain: {
    from: ['approved', 'running'],
    event: 'not made, after a `retry`',
    to: 'unknown',
    writes: 'an action `unknown`',
  },
  endUncertain: {
    from: ['waiting', 'approved', 'running'],
    event: 'given up after an attempt without a result',
    to: 'unknown',
    writes: 'the result',
  },

  // Another instance takes over the reply of a crashed one.
  crash: {
    from: ['approved', 'running'],
    event: 'crash, not repeatable; or `RECOVER=ask`',
    to: 'unknown',
    writes: 'the epoch, an action `unknown`',
  },
  repeatAfterCrash: { from: ['running'], event: 'crash, repeatable', to: 'approved', writes: 'the epoch' },
  exhaust: { from: ['running'], event: 'third crash of a read', to: 'failed', writes: 'the epoch, the result' },

  // The reply ends.
  expire: { from: ['waiting'], event: 'no decision within `ACTION_TTL`', to: 'expired', writes: 'the action' },
  replace: { from: ['waiting'], event: 'a new message', to: 'denied', writes: 'the actions' },
  cancel: {
    from: ['waiting', 'approved'],
    event: 'stop, trash, ban, end of the reply',
    to: 'cancelled',
    writes: 'the actions',
  },
  abandon: {
    from: ['waiting', 'approved', 'running', 'unknown'],
    event: 'end of the reply, outcome unknown',
    to: 'unknown',
    writes: 'the actions',
  },
} as const satisfies Record<string, CallTransition>;

export type CallEvent = keyof typeof CALL_STATES;

/** Events by which a reply that ends closes a call whose outcome is known. */
export type ClosingEvent = 'expire' | 'replace' | 'cancel';

/** A decision changes a call in one of these states. The decision's kind says in which one. */
export const DECIDABLE: readonly ToolCallState[] = ['waiting', 'unknown'];
