import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { RateLimitOptions } from './rate-limit-options';
import { RateLimitStorageModule } from './rate-limit-storage.module';

/** Everything that `RateLimitGuard` needs; the guard itself stands in the pipeline of the composition root. */
@Global()
@Module({
  imports: [
    RateLimitStorageModule,
    ThrottlerModule.forRootAsync({ imports: [RateLimitStorageModule], useClass: RateLimitOptions }),
  ],
  exports: [RateLimitStorageModule],
})
export class RateLimitModule {}
