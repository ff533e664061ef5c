import type * as ioredis from 'ioredis';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { loadPackage } from '../load-package';
import { parseRedisAddress } from './redis-address';
import { redisOptions } from './redis-options';

/** How often a cluster is asked which node has what: a replica may have taken the place of a primary. */
const SLOTS_REFRESH_MILLISECONDS = 5_000;

/** How long a sentinel may take to name the primary. */
const SENTINEL_TIMEOUT_MILLISECONDS = 2_000;

/** How often it is looked whether a cluster has forgotten to connect again. */
const WATCH_MILLISECONDS = 1_000;

/** What a client passes through in no time, unless it has forgotten to go on. */
const FORGOTTEN_STATUSES = new Set(['close', 'disconnecting']);

/** A connection to one server, or to all nodes of a cluster. */
export type RedisClient = Redis | Cluster;

/**
 * Makes a client for an address; it connects later.
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
      // A sentinel that hangs would be waited for, and no other be asked.
      sentinelCommandTimeout: SENTINEL_TIMEOUT_MILLISECONDS,
      sentinelRetryStrategy: redisOptions.retryStrategy as RedisOptions['sentinelRetryStrategy'],
      // A primary that was replaced may still answer: sentinels tell of the new one.
      failoverDetector: true,
    });
  }
  const { keyPrefix, lazyConnect, retryStrategy, ...ofNodes } = redisOptions;
  return new Cluster(address.nodes, {
    keyPrefix,
    lazyConnect,
    // Connections to nodes are made by the first command for each, which has to wait for it.
    enableOfflineQueue: true,
    clusterRetryStrategy: retryStrategy as (attempts: number) => number,
    // No command is sent twice, nor does anybody wait for a node that is gone.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: 2_000,
    slotsRefreshInterval: SLOTS_REFRESH_MILLISECONDS,
    redisOptions: { ...ofNodes, ...account },
  });
}

/** The number of the client's database; clusters have only one. */
export function databaseOf(client: RedisClient | null): number {
  return client !== null && 'db' in client.options ? (client.options.db ?? 0) : 0;
}

/**
 * Has a cluster connect again where ioredis 5.11 forgets it: when the last connection of the time before ends while names of
 * nodes are looked up, it gives up without a word.
 *
 * @returns ends this; call it before the client is closed
 */
export function watchCluster(client: RedisClient): () => void {
  if (!('nodes' in client)) {
    return () => undefined;
  }
  let before: string | undefined;
  const timer = setInterval(() => {
    const { status } = client;
    if (status === before && FORGOTTEN_STATUSES.has(status)) {
      // Its failures come as events.
      client.connect().catch(() => undefined);
    }
    before = status;
  }, WATCH_MILLISECONDS).unref();
  return () => clearInterval(timer);
}
