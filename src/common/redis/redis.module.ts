import { Global, Module } from '@nestjs/common';
import { RedisConnection } from './redis-connection';

/** Provides the connection to Redis everywhere; without REDIS_URL one that works within this process. */
@Global()
@Module({ providers: [RedisConnection], exports: [RedisConnection] })
export class RedisModule {}
