import { Global } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Feature } from '../features/feature.decorator';
import { RateLimitConfig } from './rate-limit.config';
import { RateLimitOptions } from './rate-limit-options';
import { RateLimitStorageModule } from './rate-limit-storage.module';
import { LIMIT, REMAINING, RequestCounter, RESET } from './request-counter';

/**
 * Counts requests in budgets and refuses callers who send too many. Start with `RateLimitGuard`, which `AppModule` puts
 * into the pipeline. `rate-limit-options` decides which budgets count for a request. `FallbackThrottlerStorage` counts
 * in Redis, or in this process while Redis is away. This module provides everything that the guard needs.
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
