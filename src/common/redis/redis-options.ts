import type { RedisOptions } from 'ioredis';

/** Prefix of every key. It identifies the service's keys if other programs use the same Redis. */
export const REDIS_KEY_PREFIX = 'chat-service:';

/** Longest wait for an answer. After this time a request continues without Redis. */
export const ANSWER_TIMEOUT_MILLISECONDS = 250;

/** After this time, the library itself gives up a command. Callers never wait so long. */
const COMMAND_TIMEOUT_MILLISECONDS = 2_000;

const LONGEST_RECONNECT_DELAY_MILLISECONDS = 3_000;

/**
 * With these options no request waits for Redis. Commands are not queued while it is unavailable, and no command is
 * sent twice, because an increment that is repeated after a reconnect would count double. `socketTimeout` is left
 * unset, because its timer in ioredis 5.11 outlives the connection and cuts the next one.
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
  // How long a connection may take to close. ioredis keeps the process alive for this time, even if Redis is gone.
  disconnectTimeout: 200,
  keepAlive: 10_000,
  // A primary that became a replica refuses writes. A new connection finds the current primary.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  retryStrategy: (attempts) => Math.min(50 * 2 ** Math.min(attempts, 10), LONGEST_RECONNECT_DELAY_MILLISECONDS),
};
