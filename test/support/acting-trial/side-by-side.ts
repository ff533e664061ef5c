import { ActingTrial } from './acting-trial';

/**
 * Starts take most of the time, each of them a second or two of one processor: two trials beside one another have both processors
 * of a small machine, and people of one write while an instance of the other starts.
 */
const TRIALS = 2;

/** What came of trials, each with a service of its own. */
export interface TrialResults {
  faults: string[];
  strange: string[];
  effects: number;
  /** Of these by servers of tools. */
  served: number;
  killed: ActingTrial['killed'];
  /** Replies by how they ended. */
  ended: Record<string, number>;
}

/** Some trials beside one another. */
export class SideBySide {
  private constructor(readonly trials: readonly ActingTrial[]) {}

  static async start(environment: Record<string, string> = {}): Promise<SideBySide> {
    const trials: ActingTrial[] = [];
    // One after the other, as each begins with an instance in this process.
    for (let count = 0; count < TRIALS; count++) {
      trials.push(await ActingTrial.start(environment));
    }
    return new SideBySide(trials);
  }

  /** Kills instances so many times, those of all trials together. */
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
