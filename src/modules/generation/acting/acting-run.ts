import type { Amount } from '../../../common/money/amount';

/** How the run of a reply stands that has called tools: what its instance knows of `ToolRunEntity`. */
export interface ActingRun {
  epoch: number;
  /** Rounds whose calls are written down. */
  round: number;
  /** Calls of the reply so far: those of the next round come after them. */
  calls: number;
  /** Steps of these rounds; the model is told them again, and the results behind them. */
  told: number;
  /** What the rounds cost; null: unknown. */
  cost: Amount | null;
}

/** A run is not what its instance believes. */
export abstract class RunChangedError extends Error {}

/** While its end was stored, somebody decided the call that it was to wait for, or stopped the reply. */
export class RunGoesOnError extends RunChangedError {
  override readonly name = 'RunGoesOnError';

  constructor(messageId: number) {
    super(`The run of the reply ${messageId} does not wait any more.`);
  }
}

/** Somebody else has the run, or it has ended: nothing more may be written. */
export class RunLostError extends RunChangedError {
  override readonly name = 'RunLostError';

  constructor(messageId: number) {
    super(`The run of the reply ${messageId} is somebody else's.`);
  }
}
