import type { RedisOptions } from 'ioredis';

/** Prefix of every key, so that a Redis shared with other programs stays readable. */
export const REDIS_KEY_PREFIX = 'chat-service:';

/** Longest wait for an answer: what a request may lose to a Redis that hangs, before it goes on without. */
export const ANSWER_TIMEOUT_MILLISECONDS = 250;

/** When the library itself gives a command up; nobody waits as long. */
const COMMAND_TIMEOUT_MILLISECONDS = 2_000;

const LONGEST_RECONNECT_DELAY_MILLISECONDS = 3_000;

/**
 * Options under which no request waits for Redis: nothing is queued while it is away, and nothing is sent twice (an
 * increment that is repeated after a reconnect would count double). `socketTimeout` is left unset, because its timer in
 * ioredis 5.11 outlives the connection and cuts the next one.
 */
export const redisOptions: RedisOptions = {
  keyPrefix: REDIS_KEY_PREFIX,
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MILLISECONDS,
  connectTimeout: 2_000,
  // How long a closing connection may linger; ioredis keeps the process alive for it, even when Redis is gone.
  disconnectTimeout: 200,
  keepAlive: 10_000,
  retryStrategy: (attempts) => Math.min(50 * 2 ** Math.min(attempts, 10), LONGEST_RECONNECT_DELAY_MILLISECONDS),
};
