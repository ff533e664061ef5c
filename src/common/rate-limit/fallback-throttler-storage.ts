import { Injectable } from '@nestjs/common';
import { RedisConnection } from '../redis/redis-connection';
import { BoundedThrottlerStorage } from './bounded-throttler-storage';
import { WindowRecord, WindowStorage } from './budgets';
import { RateLimitMetrics } from './rate-limit-metrics';
import { RedisThrottlerStorage } from './redis-throttler-storage';

/**
 * Counts in Redis while it answers and in this process otherwise, with the same numbers. Only requests that are under
 * way when Redis falls silent wait for it, and those for the command timeout; all later ones count here at once.
 */
@Injectable()
export class FallbackThrottlerStorage implements WindowStorage {
  constructor(
    private readonly connection: RedisConnection,
    private readonly shared: RedisThrottlerStorage,
    private readonly local: BoundedThrottlerStorage,
    private readonly metrics: RateLimitMetrics,
  ) {}

  /** Never rejects because of Redis. */
  async increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
  ): Promise<WindowRecord> {
    if (this.connection.isUp) {
      try {
        return await this.shared.increment(key, ttl, limit);
      } catch (error) {
        this.connection.suspect(error);
      }
    }
    if (this.connection.client) {
      this.metrics.countedLocally();
    }
    return this.local.increment(key, ttl, limit, blockDuration, throttlerName);
  }
}
