import { Injectable } from '@nestjs/common';
import { ServiceUnavailableError } from '../../../common/errors/common.errors';

/** Tries for one address that may wait here; nobody types as many. */
const MOST_WAITING = 100;

/**
 * Has tries for one address run one after another within this process. Each is counted before it is decided, so many
 * right ones at once would otherwise look like a run of wrong ones; between instances the database counts.
 */
@Injectable()
export class AddressQueue {
  private readonly queues = new Map<string, { tail: Promise<unknown>; length: number }>();

  /** @throws ServiceUnavailableError when too many are waiting already. */
  async run<Result>(address: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.queues.get(address) ?? { tail: Promise.resolve(), length: 0 };
    if (queue.length >= MOST_WAITING) {
      throw new ServiceUnavailableError(undefined, 2);
    }
    this.queues.set(address, queue);
    queue.length++;
    const result = queue.tail.then(task);
    queue.tail = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      if (--queue.length === 0) {
        this.queues.delete(address);
      }
    }
  }
}
