import { Global } from '@nestjs/common';
import { Feature } from '../features/feature.decorator';
import { RedisConfig } from './redis.config';
import { RedisConnection } from './redis-connection';

/** Provides the connection to Redis everywhere. Without REDIS_URL the connection works within this process. */
@Global()
@Feature({
  configuration: [RedisConfig],
  providers: [RedisConnection],
  exports: [RedisConnection],
})
export class RedisModule {}
