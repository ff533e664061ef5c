import type * as ioredis from 'ioredis';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { loadPackage } from '../load-package';
import { parseRedisAddress } from './redis-address';
import { redisOptions } from './redis-options';

/** How often the client refreshes the slots of a cluster, because a replica may have replaced a primary. */
const SLOTS_REFRESH_MILLISECONDS = 5_000;

/** How long a sentinel may take to name the primary. */
const SENTINEL_TIMEOUT_MILLISECONDS = 2_000;

/** How often to check whether a cluster has failed to reconnect. */
const WATCH_MILLISECONDS = 1_000;

/** A client leaves these states at once, unless it has failed to reconnect. */
const FORGOTTEN_STATUSES = new Set(['close', 'disconnecting']);

/** A connection to one server, or to all nodes of a cluster. */
export type RedisClient = Redis | Cluster;

/**
 * Creates a client for an address. It connects later.
 *
 * @param text an address without a fault
 */
export function redisClient(text: string): RedisClient {
  const { Redis, Cluster } = loadPackage('ioredis') as typeof ioredis;
  const address = parseRedisAddress(text);
  if (address.kind === 'server') {
    return new Redis(address.url, redisOptions);
  }
  const { username, password, isEncrypted } = address;
  const account: RedisOptions = { username, password, ...(isEncrypted && { tls: {} }) };
  if (address.kind === 'sentinel') {
    const { sentinels, name, database: db } = address;
    return new Redis({
      ...redisOptions,
      ...account,
      db,
      sentinels,
      name,
      enableTLSForSentinelMode: isEncrypted,
      // Without it, the client would wait for a hanging sentinel and query no other.
      sentinelCommandTimeout: SENTINEL_TIMEOUT_MILLISECONDS,
      sentinelRetryStrategy: redisOptions.retryStrategy as RedisOptions['sentinelRetryStrategy'],
      // A primary that was replaced may still answer. Sentinels announce the new one.
      failoverDetector: true,
    });
  }
  const { keyPrefix, lazyConnect, retryStrategy, ...ofNodes } = redisOptions;
  return new Cluster(address.nodes, {
    keyPrefix,
    lazyConnect,
    // The first command for each node opens its connection, and has to wait for it.
    enableOfflineQueue: true,
    clusterRetryStrategy: retryStrategy as (attempts: number) => number,
    // No command is sent twice, and none waits for a node that is gone.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: 2_000,
    slotsRefreshInterval: SLOTS_REFRESH_MILLISECONDS,
    redisOptions: { ...ofNodes, ...account },
  });
}

/** The number of the client's database. Clusters have only one. */
export function databaseOf(client: RedisClient | null): number {
  return client !== null && 'db' in client.options ? (client.options.db ?? 0) : 0;
}

/**
 * Reconnects a cluster where ioredis 5.11 fails to: if its last old connection ends while the names of nodes are looked
 * up, it silently gives up.
 *
 * @returns a function that stops this; call it before the client is closed
 */
export function watchCluster(client: RedisClient): () => void {
  if (!('nodes' in client)) {
    return () => undefined;
  }
  let before: string | undefined;
  const timer = setInterval(() => {
    const { status } = client;
    if (status === before && FORGOTTEN_STATUSES.has(status)) {
      // Its failures are emitted as events.
      client.connect().catch(() => undefined);
    }
    before = status;
  }, WATCH_MILLISECONDS).unref();
  return () => clearInterval(timer);
}
