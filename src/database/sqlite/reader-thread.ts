import { Worker } from 'node:worker_threads';
import type { ReaderAnswer, ReaderStatement } from './reader-thread.worker';

/**
 * Runs statements that may take long on a connection of its own to a SQLite file, in a thread that starts with the first
 * of them: the event loop waits for none. It runs one after another, so callers make their statements short and take turns.
 */
export class ReaderThread {
  private worker: Worker | null = null;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(private readonly file: string) {}

  /** The rows, each as an array of its columns; with a filter the different first columns of those that match. */
  read(statement: ReaderStatement): Promise<unknown[]> {
    return this.inTurn(() => this.ask(statement));
  }

  /** Runs `task` while no statement runs: a statement that reads the log keeps it from being emptied. */
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
    // An error ends the thread, and `exit` tells whoever waits; the next statement starts another one.
    worker.on('error', () => undefined);
    worker.once('exit', () => (this.worker = null));
    return worker;
  }
}
