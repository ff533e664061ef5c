import { Injectable } from '@nestjs/common';
import type { Result } from 'ioredis';
import { Clock } from '../clock';
import { RedisConnection } from '../redis/redis-connection';
import { BoundedThrottlerStorage } from './bounded-throttler-storage';
import { toWindowRecord, windowEnd, WindowRecord, WindowStorage } from './budgets';
import { RateLimitMetrics } from './request-counter';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countHit(key: string, ttl: number, limit: number, endsAt: number): Result<[number, string, number], Context>;
  }
}

/**
 * Reads, decides and counts in one step, so that all instances together never allow more requests than the limit. The
 * end of the window is stored with the count. If it were computed from the remaining time, it could differ by a second
 * between responses.
 */
const COUNT_HIT = `
local window = redis.call('HMGET', KEYS[1], 'hits', 'ends_at')
local hits = tonumber(window[1] or 0)
if hits == 0 then
  redis.call('HSET', KEYS[1], 'hits', 1, 'ends_at', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return { 1, ARGV[3], tonumber(ARGV[1]) }
end
local limit = tonumber(ARGV[2])
if hits >= limit then
  return { limit + 1, window[2], redis.call('PTTL', KEYS[1]) }
end
return { redis.call('HINCRBY', KEYS[1], 'hits', 1), window[2], redis.call('PTTL', KEYS[1]) }
`;

/**
 * Counts in Redis, one budget for all instances.
 *
 * It replaces @nest-lab/throttler-storage-redis, which counts refused hits and blocks longer than the window. A window
 * lives longer than its length by the milliseconds that Redis takes to respond.
 */
@Injectable()
export class RedisThrottlerStorage implements WindowStorage {
  constructor(
    private readonly connection: RedisConnection,
    private readonly clock: Clock,
  ) {
    connection.client?.defineCommand('countHit', { numberOfKeys: 1, lua: COUNT_HIT });
  }

  /** Rejects if Redis is absent, unavailable or slower than 250 ms. */
  async increment(key: string, ttl: number, limit: number): Promise<WindowRecord> {
    const { client } = this.connection;
    if (!client) {
      throw new Error('Redis is not configured.');
    }
    const now = this.clock.now().getTime();
    const endsAt = windowEnd(now, ttl);
    const counted = client.countHit(`rate-limit:${key}`, endsAt - now, limit, endsAt);
    const [hits, windowEndsAt, millisecondsLeft] = await this.connection.inTime(counted);
    return toWindowRecord(hits, limit, Number(windowEndsAt), millisecondsLeft);
  }
}

/**
 * Counts in Redis while it responds, otherwise in this process, with the same limits. When Redis stops responding, only
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

  /** Does not reject if Redis fails. */
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
