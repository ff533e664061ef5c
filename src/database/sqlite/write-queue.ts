import { setImmediate as nextTurn } from 'node:timers/promises';
import { gauge } from '../../common/metrics/metrics';

/** After a task that blocked the event loop for this long, other work runs first. */
const LONG_MILLISECONDS = 5;

/**
 * Runs tasks one after another in the order of their arrival. A failed task does not affect the next one. SQLite
 * answers synchronously, so without a pause no request would be handled until the last of many long tasks is done.
 */
export class WriteQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor() {
    gauge('database_writes_waiting', 'Units of work that wait for their turn or run (SQLite)', () => this.waiting);
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.waiting++;
    let begun = 0;
    const result = this.tail
      .then(() => {
        begun = performance.now();
        return task();
      })
      .finally(() => this.waiting--);
    const pause = (): Promise<void> | undefined =>
      performance.now() - begun >= LONG_MILLISECONDS ? nextTurn() : undefined;
    this.tail = result.then(pause, pause);
    return result;
  }
}
