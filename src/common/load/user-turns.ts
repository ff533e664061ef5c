import { bulkhead, type BulkheadPolicy, BulkheadRejectedError } from 'cockatiel';
import { ServiceUnavailableError } from '../errors/common.errors';
import { RateLimitExceededError } from '../rate-limit/rate-limit.errors';

interface Places {
  running: number;
  waiting: number;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Runs work of users in turn: a few tasks at once, and fewer of each user. What a user has beyond that waits in a queue of
 * this user, so no user can fill the queue that all share.
 */
export class UserTurns {
  private readonly all: BulkheadPolicy;
  /** Of the users that have work now. */
  private readonly users = new Map<number, { turns: BulkheadPolicy; tasks: number }>();

  constructor(
    all: Places,
    private readonly each: Places,
  ) {
    this.all = bulkhead(all.running, all.waiting);
  }

  /**
   * @throws RateLimitExceededError when too many tasks of this user wait, ServiceUnavailableError when too many users wait
   */
  async run<Result>(userId: number, task: () => Promise<Result>): Promise<Result> {
    const { running, waiting } = this.each;
    const user = this.users.get(userId) ?? { turns: bulkhead(running, waiting), tasks: 0 };
    this.users.set(userId, user);
    user.tasks++;
    try {
      return await user.turns.execute(() => this.inTurn(task));
    } catch (error) {
      throw error instanceof BulkheadRejectedError
        ? new RateLimitExceededError(running + waiting, RETRY_AFTER_SECONDS)
        : error;
    } finally {
      user.tasks--;
      if (user.tasks === 0) this.users.delete(userId);
    }
  }

  private async inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    try {
      return await this.all.execute(task);
    } catch (error) {
      throw error instanceof BulkheadRejectedError ? new ServiceUnavailableError(error) : error;
    }
  }
}
