import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Feature } from '../features/feature.decorator';
import { ActionBudgets } from './action-budgets';
import { BoundedThrottlerStorage } from './bounded-throttler-storage';
import { RateLimitConfig } from './rate-limit.config';
import { RateLimitOptions } from './rate-limit-options';
import { FallbackThrottlerStorage, RedisThrottlerStorage } from './redis-throttler-storage';
import { LIMIT, RateLimitMetrics, REMAINING, RequestCounter, RESET } from './request-counter';

/**
 * The stores of the rate limit, and the classes that count actions in them. They are a separate module, because the
 * throttler's options depend on them.
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

/**
 * Counts requests in budgets and refuses callers who send too many. Start with `RateLimitGuard`, which `AppModule` puts
 * into the pipeline. `rate-limit-options` decides which budgets count a request. `FallbackThrottlerStorage` counts in
 * Redis, or in this process while Redis is unavailable. This module provides everything that the guard needs.
 */
@Global()
@Feature({
  exposes: [LIMIT, REMAINING, RESET],
  configuration: [RateLimitConfig],
  imports: [
    RateLimitStorageModule,
    ThrottlerModule.forRootAsync({ imports: [RateLimitStorageModule], useClass: RateLimitOptions }),
  ],
  providers: [RequestCounter],
  exports: [RateLimitStorageModule, RequestCounter],
})
export class RateLimitModule {}
