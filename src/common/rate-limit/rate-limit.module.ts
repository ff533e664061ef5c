import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { RateLimitOptions } from './rate-limit-options';
import { RateLimitStorageModule } from './rate-limit-storage.module';
import { RequestCounter } from './request-counter';

/**
 * Counts requests in budgets and refuses callers who send too many. Start with `RateLimitGuard`, which `AppModule` puts
 * into the pipeline. `rate-limit-options` decides which budgets count for a request. `FallbackThrottlerStorage` counts
 * in Redis, or in this process while Redis is away. This module provides everything that the guard needs.
 */
@Global()
@Module({
  imports: [
    RateLimitStorageModule,
    ThrottlerModule.forRootAsync({ imports: [RateLimitStorageModule], useClass: RateLimitOptions }),
  ],
  providers: [RequestCounter],
  exports: [RateLimitStorageModule, RequestCounter],
})
export class RateLimitModule {}
