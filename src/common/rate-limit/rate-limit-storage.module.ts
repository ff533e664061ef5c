import { Module } from '@nestjs/common';
import { ActionBudgets } from './action-budgets';
import { BoundedThrottlerStorage } from './bounded-throttler-storage';
import { FallbackThrottlerStorage } from './fallback-throttler-storage';
import { RateLimitMetrics } from './rate-limit-metrics';
import { RedisThrottlerStorage } from './redis-throttler-storage';

/**
 * The stores of the rate limit, and what counts actions in them. They have their own module, because the throttler's
 * options are made from them.
 */
@Module({
  providers: [
    RateLimitMetrics,
    BoundedThrottlerStorage,
    RedisThrottlerStorage,
    FallbackThrottlerStorage,
    ActionBudgets,
  ],
  exports: [ActionBudgets, FallbackThrottlerStorage, RateLimitMetrics],
})
export class RateLimitStorageModule {}
