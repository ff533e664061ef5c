import { Global } from '@nestjs/common';
import { Feature } from '../features/feature.decorator';
import { RedisConfig } from './redis.config';
import { RedisConnection } from './redis-connection';

/** Provides the connection to Redis globally. Without REDIS_URL, messages stay within this process. */
@Global()
@Feature({
  configuration: [RedisConfig],
  providers: [RedisConnection],
  exports: [RedisConnection],
})
export class RedisModule {}
