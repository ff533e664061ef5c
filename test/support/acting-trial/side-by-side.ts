import { ActingTrial } from './acting-trial';

/**
 * Starts take most of the time, each a second or two of one processor. Two concurrent trials use both processors of a
 * small machine: users of one write while an instance of the other starts.
 */
const TRIALS = 2;

/** The results of trials, each with its own service. */
export interface TrialResults {
  faults: string[];
  strange: string[];
  effects: number;
  /** Those by MCP servers. */
  served: number;
  killed: ActingTrial['killed'];
  /** Replies by their final status. */
  ended: Record<string, number>;
}

/** Several concurrent trials. */
export class SideBySide {
  private constructor(readonly trials: readonly ActingTrial[]) {}

  static async start(environment: Record<string, string> = {}): Promise<SideBySide> {
    const trials: ActingTrial[] = [];
    // One after the other, because each starts with an instance in this process.
    for (let count = 0; count < TRIALS; count++) {
      trials.push(await ActingTrial.start(environment));
    }
    return new SideBySide(trials);
  }

  /** Kills instances this number of times in total. */
  async killOften(kills: number): Promise<void> {
    await Promise.all(this.trials.map((trial) => trial.killOften(Math.ceil(kills / TRIALS))));
  }

  get results(): TrialResults {
    const ended: Record<string, number> = {};
    for (const [status, count] of this.trials.flatMap((trial) => Object.entries(trial.ended))) {
      ended[status] = (ended[status] ?? 0) + count;
    }
    return {
      faults: this.trials.flatMap(({ faults }) => faults),
      strange: this.trials.flatMap(({ model }) => model.strange),
      effects: this.trials.reduce((sum, { effects }) => sum + effects.effects.length, 0),
      served: this.trials.reduce((sum, { served }) => sum + served, 0),
      killed: {
        kills: this.trials.reduce((sum, { killed }) => sum + killed.kills, 0),
        replies: this.trials.reduce((sum, { killed }) => sum + killed.replies, 0),
        calls: this.trials.reduce((sum, { killed }) => sum + killed.calls, 0),
      },
      ended,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.trials.map((trial) => trial.close()));
  }
}
