import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { GuardFailure } from './guard-http';
import type { PatternReply, PatternRequest } from './pattern-matcher.worker';

/** How long the expressions of a guard may take for a text. */
const LONGEST_MILLISECONDS = 100;

/** How long the thread may take to start. */
const START_MILLISECONDS = 5_000;

/**
 * Looks for regular expressions of administrators in a thread, because an expression may take exponential time. The
 * thread starts with the first text, and is ended if it takes too long.
 */
@Injectable()
export class PatternMatcher implements OnApplicationShutdown {
  private worker: Promise<Worker> | null = null;
  /** One text at a time, so that the time limit is its own. */
  private queue: Promise<unknown> = Promise.resolve();

  /** @throws GuardFailure */
  match(request: PatternRequest): Promise<PatternReply> {
    const result = this.queue.then(() => this.run(request));
    this.queue = result.catch(() => undefined);
    return result;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.end();
  }

  private async run(request: PatternRequest): Promise<PatternReply> {
    const worker = await (this.worker ??= this.start());
    return new Promise<PatternReply>((resolve, reject) => {
      let isSettled = false;
      const settle = (then: () => void): void => {
        isSettled = true;
        clearTimeout(timer);
        worker.removeAllListeners('message');
        worker.removeAllListeners('exit');
        then();
      };
      const fail = (fault: 'timeout' | 'internal_error'): void => {
        settle(() => reject(new GuardFailure(fault)));
        void this.end();
      };
      // If this thread was busy, the reply may have arrived, and is read before the immediate.
      const timer = setTimeout(() => setImmediate(() => isSettled || fail('timeout')), LONGEST_MILLISECONDS);
      worker.once('message', (reply: PatternReply) => settle(() => resolve(reply)));
      worker.once('exit', () => fail('internal_error'));
      worker.postMessage(request);
    });
  }

  private start(): Promise<Worker> {
    const worker = new Worker(require.resolve('./pattern-matcher.worker'));
    worker.unref();
    // An error ends the thread, and `exit` fails the caller.
    worker.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        // The next text tries again.
        this.worker = null;
        void worker.terminate();
        reject(new GuardFailure('internal_error'));
      };
      const timer = setTimeout(fail, START_MILLISECONDS);
      worker.once('online', () => {
        clearTimeout(timer);
        resolve(worker);
      });
    });
  }

  private async end(): Promise<void> {
    const ending = this.worker;
    this.worker = null;
    await (await ending?.catch(() => undefined))?.terminate();
  }
}
