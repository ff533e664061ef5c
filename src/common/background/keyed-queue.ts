import { ServiceUnavailableError } from '../errors/common.errors';

/**
 * Runs tasks with the same key one after another within this process, in the order of their arrival. Tasks with other
 * keys do not wait for them.
 */
export class KeyedQueue<Key> {
  private readonly queues = new Map<Key, { tail: Promise<unknown>; length: number }>();

  /** @param mostWaiting most tasks of one key that run or wait */
  constructor(private readonly mostWaiting: number) {}

  /** @throws ServiceUnavailableError if too many tasks are waiting already */
  async run<Result>(key: Key, task: () => Promise<Result>): Promise<Result> {
    const queue = this.queues.get(key) ?? { tail: Promise.resolve(), length: 0 };
    if (queue.length >= this.mostWaiting) {
      throw new ServiceUnavailableError(undefined, 2);
    }
    this.queues.set(key, queue);
    queue.length++;
    const result = queue.tail.then(task);
    queue.tail = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      if (--queue.length === 0) {
        this.queues.delete(key);
      }
    }
  }
}
