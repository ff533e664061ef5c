import { setImmediate as yieldToEvents, setTimeout as delay } from 'node:timers/promises';

/** Attempts begun a second at most: requests of users come first, and a long backlog is in no hurry. */
const STARTS_PER_SECOND = 800;

const INTERVAL_MILLISECONDS = 1_000 / STARTS_PER_SECOND;

/** How much lost time is made up for: timers are coarse, and transactions lie between the starts. */
const LONGEST_CATCH_UP_MILLISECONDS = 100;

/** Spreads the starts of attempts evenly, so that a backlog leaves room on the event loop between any two. */
export class StartPacer {
  /** Milliseconds of the monotonic clock. */
  private nextStart = 0;

  /** To be awaited after each start; resolves when the next one may follow. */
  async next(): Promise<void> {
    const now = performance.now();
    this.nextStart = Math.max(this.nextStart + INTERVAL_MILLISECONDS, now - LONGEST_CATCH_UP_MILLISECONDS);
    if (this.nextStart > now) {
      await delay(this.nextStart - now);
    } else {
      await yieldToEvents();
    }
  }
}
