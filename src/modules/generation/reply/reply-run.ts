import type { Amount } from '../../../common/money/amount';

/** The state of a reply that has called tools, as its instance knows it from `ToolRunEntity`. */
export interface ReplyRun {
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

/** The stored run differs from what its instance expects. */
export abstract class RunChangedError extends Error {}

/** The run no longer waits: while the instance stored the pause, a decision arrived or the reply was stopped. */
export class RunGoesOnError extends RunChangedError {
  override readonly name = 'RunGoesOnError';

  constructor(messageId: number) {
    super(`The run of the reply ${messageId} does not wait any more.`);
  }
}

/** Another instance has the run, or the run has ended. This instance must not write to it any more. */
export class RunLostError extends RunChangedError {
  override readonly name = 'RunLostError';

  constructor(messageId: number) {
    super(`The run of the reply ${messageId} is somebody else's.`);
  }
}
