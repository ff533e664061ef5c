import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptResult } from './delivery-types';

/** Results of one transaction at most. */
const LARGEST_BATCH = 50;

/** How long a result waits for others, in milliseconds. */
const GATHERING_MILLISECONDS = 25;

/** Pause after a batch could not be written, in milliseconds. */
const RETRY_MILLISECONDS = 1_000;

interface Waiting {
  result: AttemptResult;
  written: () => void;
}

/** Gathers results, so that they are written in few transactions; holds them while the database is away. */
export class ResultBuffer {
  private readonly waiting: Waiting[] = [];
  private writing = false;

  constructor(
    private readonly write: (results: AttemptResult[]) => Promise<void>,
    private readonly onError: (error: unknown) => void,
    /** Aborted when the process stops: what cannot be written then is left to the lapse of its lease. */
    private readonly stopping: AbortSignal,
  ) {}

  /** Resolves when the result is written, or given up because the process stops. */
  add(result: AttemptResult): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ result, written: resolve });
      if (!this.writing) {
        this.writing = true;
        void this.writeAll();
      }
    });
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.waiting.length < LARGEST_BATCH) {
        await delay(GATHERING_MILLISECONDS);
      }
      const batch = this.waiting.splice(0, LARGEST_BATCH);
      await this.writeBatch(batch.map(({ result }) => result));
      for (const { written } of batch) {
        written();
      }
    }
    this.writing = false;
  }

  private async writeBatch(results: AttemptResult[]): Promise<void> {
    for (;;) {
      try {
        return await this.write(results);
      } catch (error) {
        this.onError(error);
        if (this.stopping.aborted) {
          return;
        }
        await delay(RETRY_MILLISECONDS, undefined, { ref: false });
      }
    }
  }
}
