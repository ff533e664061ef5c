import { Global, Module } from '@nestjs/common';
import { RedisConnection } from './redis-connection';

/** Provides the connection to Redis everywhere. Without REDIS_URL the connection works within this process. */
@Global()
@Module({ providers: [RedisConnection], exports: [RedisConnection] })
export class RedisModule {}
