import { gauge } from '../../common/metrics/metrics';

/** Runs tasks one after another in the order of their arrival. A failed task does not affect the next one. */
export class WriteQueue {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor() {
    gauge('database_writes_waiting', 'Units of work that wait for their turn or run (SQLite)', () => this.waiting);
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.waiting++;
    const result = this.tail.then(task).finally(() => this.waiting--);
    this.tail = result.catch(() => undefined);
    return result;
  }
}
