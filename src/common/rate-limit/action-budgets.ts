import { Injectable } from '@nestjs/common';
import { RateLimitExceededError } from './rate-limit.errors';
import { FallbackThrottlerStorage } from './redis-throttler-storage';

/** How often an action may happen in a period, which is longer than the minute of the request limits. */
export interface ActionBudget {
  /** Such as `webhook-test`. */
  name: string;
  limit: number;
  /** Length of a window, which begins with the first action. */
  milliseconds: number;
}

/**
 * Limits single actions that are allowed as requests, but would fill the disk or annoy other people if they continued
 * for days.
 */
@Injectable()
export class ActionBudgets {
  constructor(private readonly windows: FallbackThrottlerStorage) {}

  /**
   * Call it outside of transactions, because it may query Redis.
   *
   * @param id whose budget it is: a user, an endpoint
   * @throws RateLimitExceededError
   */
  async take({ name, limit, milliseconds }: ActionBudget, id: number): Promise<void> {
    const count = await this.windows.increment(`${name}:${id}`, milliseconds, limit, milliseconds, name);
    if (count.isBlocked) {
      throw new RateLimitExceededError(limit, count.timeToBlockExpire);
    }
  }
}
