import { Injectable } from '@nestjs/common';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';

/** Attempts under one counter that may wait here. Nobody types as many. */
const MOST_WAITING = 100;

/**
 * Runs attempts that are counted together one after another within this process. Each attempt is counted before its result is
 * known. Many right ones at once would otherwise look like many wrong ones. Between instances only the database counts.
 */
@Injectable()
export class AddressQueue {
  private readonly queues = new Map<string, { tail: Promise<unknown>; length: number }>();

  /** @throws ServiceUnavailableError when too many are waiting already. */
  async run<Result>(counter: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.queues.get(counter) ?? { tail: Promise.resolve(), length: 0 };
    if (queue.length >= MOST_WAITING) {
      throw new ServiceUnavailableError(undefined, 2);
    }
    this.queues.set(counter, queue);
    queue.length++;
    const result = queue.tail.then(task);
    queue.tail = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      if (--queue.length === 0) {
        this.queues.delete(counter);
      }
    }
  }
}
