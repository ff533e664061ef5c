import { bulkhead, type BulkheadPolicy, BulkheadRejectedError } from 'cockatiel';
import { ServiceUnavailableError } from '../errors/common.errors';
import { RateLimitExceededError } from '../rate-limit/rate-limit.errors';

interface Places {
  running: number;
  waiting: number;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Runs work of users in turn: a few tasks at once, and fewer of each user. Further tasks wait in a queue per user, so
 * that no user can fill the queue of all.
 */
export class UserTurns {
  private readonly all: BulkheadPolicy;
  /** The users that have work now. */
  private readonly users = new Map<number, { turns: BulkheadPolicy; tasks: number }>();

  constructor(
    all: Places,
    private readonly each: Places,
  ) {
    this.all = bulkhead(all.running, all.waiting);
  }

  /**
   * @throws RateLimitExceededError if too many tasks of this user wait, ServiceUnavailableError if too many users wait
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
