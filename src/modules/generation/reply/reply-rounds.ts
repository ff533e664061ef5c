import type { Amount } from '../../../common/money/amount';

/** The state of a reply that has called tools, as its instance knows it from `ReplyRoundsEntity`. */
export interface ReplyRounds {
  epoch: number;
  /** Number of rounds whose calls are stored. */
  round: number;
  /** Number of calls in the reply so far. The calls of the next round are numbered from here. */
  calls: number;
  /** Number of steps in these rounds. Later rounds send them to the model again, with the tool results. */
  stepCount: number;
  /** The cost of the rounds. Null: unknown. */
  cost: Amount | null;
}

/** The stored rounds differ from what the instance expects. */
export abstract class RoundsChangedError extends Error {}

/** The reply no longer waits: while the instance stored the pause, a decision arrived or the reply was stopped. */
export class ReplyContinuesError extends RoundsChangedError {
  override readonly name = 'ReplyContinuesError';

  constructor(messageId: number) {
    super(`The reply ${messageId} no longer waits.`);
  }
}

/** Another instance has the reply, or the reply has ended. This instance must not write to it any more. */
export class ReplyLostError extends RoundsChangedError {
  override readonly name = 'ReplyLostError';

  constructor(messageId: number) {
    super(`Another instance has the reply ${messageId}.`);
  }
}
