import { Injectable } from '@nestjs/common';
import { RedisConnection } from '../redis/redis-connection';
import { BoundedThrottlerStorage } from './bounded-throttler-storage';
import { WindowRecord, WindowStorage } from './budgets';
import { RateLimitMetrics } from './rate-limit-metrics';
import { RedisThrottlerStorage } from './redis-throttler-storage';

/**
 * Counts in Redis while it answers, otherwise in this process, with the same limits. When Redis stops answering, only
 * the running requests wait for it, until the command times out. All later requests are counted in this process
 * immediately.
 */
@Injectable()
export class FallbackThrottlerStorage implements WindowStorage {
  constructor(
    private readonly connection: RedisConnection,
    private readonly shared: RedisThrottlerStorage,
    private readonly local: BoundedThrottlerStorage,
    private readonly metrics: RateLimitMetrics,
  ) {}

  /** A failure of Redis never rejects. */
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
