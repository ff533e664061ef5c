import { Worker } from 'node:worker_threads';
import type { ReaderAnswer, ReaderStatement } from './reader-thread.worker';

/**
 * Runs slow statements on its own connection to a SQLite file, in a thread that starts with the first statement, so
 * that the event loop does not wait for them. It runs one at a time, so callers keep their statements short and take
 * turns.
 */
export class ReaderThread {
  private worker: Worker | null = null;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(private readonly file: string) {}

  /** The rows, each as an array of its columns. With a filter, a matching row for each value of the first column. */
  read(statement: ReaderStatement): Promise<unknown[]> {
    return this.inTurn(() => this.ask(statement));
  }

  /** Runs `task` while no statement runs, because a running read prevents the log from being emptied. */
  whileIdle<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.inTurn(task);
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.tail.then(task);
    this.tail = result.catch(() => undefined);
    return result;
  }

  private ask(statement: ReaderStatement): Promise<unknown[]> {
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('The thread that reads the database ended.'));
      worker.once('exit', fail);
      worker.once('message', (answer: ReaderAnswer) => {
        worker.off('exit', fail);
        return 'rows' in answer ? resolve(answer.rows) : reject(new Error(answer.error));
      });
      worker.postMessage(statement);
    });
  }

  private start(): Worker {
    const worker = new Worker(require.resolve('./reader-thread.worker'), { workerData: this.file });
    worker.unref();
    // An error ends the thread, and `exit` fails the waiting callers. The next statement starts another thread.
    worker.on('error', () => undefined);
    worker.once('exit', () => (this.worker = null));
    return worker;
  }
}
