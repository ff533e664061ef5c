import type { LRUCache } from 'lru-cache';
import type { RedisConnection } from '../redis/redis-connection';
import { growingCache } from './growing-cache';

/**
 * How long an instance without Redis may use a value that another instance has changed. The promise is five seconds;
 * one second is left for readers that look only twice a second, such as open feeds.
 */
const FRESH_MILLISECONDS = 4_000;

export interface SharedCacheOptions<Key, Value, Detail> {
  /** The Redis channel on which the other instances learn which key to drop. Each cache has its own channel. */
  channel: string;
  /** Reads the value from the database. A failure reaches all waiting callers and is not cached. */
  load: (key: Key, detail: Detail) => Promise<Value>;
  /** The cache holds at most this many keys, and drops the least recently used one. */
  mostKeys?: number;
  freshMilliseconds?: number;
  database: { onCommit(callback: () => void): void };
  redis: Pick<RedisConnection, 'publish' | 'subscribe'>;
}

/**
 * Keeps values of the database in memory for a few seconds, and drops them when they change. This instance drops a
 * value with the commit; the others receive a message over Redis. While Redis is unavailable, the others use the value
 * until it is no longer fresh.
 *
 * It keeps promises instead of values, for two reasons. Concurrent requests share one query. A change also drops a
 * query that is still running, so its outdated result is never used again.
 *
 * A cache of one value has no key: `SharedCache<void, Settings>`. If a key has several values, `Detail` distinguishes
 * them; all values of a key are dropped together.
 */
export class SharedCache<Key extends number | string | void, Value, Detail = void> {
  private readonly entries: LRUCache<string, Map<Detail, Promise<Value>>>;

  constructor(private readonly options: SharedCacheOptions<Key, Value, Detail>) {
    this.entries = growingCache(options.mostKeys ?? 1, {
      ttl: options.freshMilliseconds ?? FRESH_MILLISECONDS,
      // Reading the clock each time is cheaper than the timer that would avoid it.
      ttlResolution: 0,
    });
    options.redis.subscribe(options.channel, (name) => this.entries.delete(name));
  }

  /**
   * Returns a fresh value from the cache, or reads it now. Do not change the value: other callers get the same object.
   */
  get(key: Key, detail: Detail): Promise<Value> {
    const values = this.valuesOf(key);
    const known = values.get(detail);
    if (known) {
      return known;
    }
    const loading = this.options.load(key, detail);
    values.set(detail, loading);
    // A newer entry may have replaced this one. Only the failed entry is removed.
    loading.catch(() => values.delete(detail));
    return loading;
  }

  /** Call it within `Database.write`. After the commit, `get` returns only values that were read after it. */
  forgetOnCommit(key: Key): void {
    this.options.database.onCommit(() => {
      const name = nameOf(key);
      this.entries.delete(name);
      this.options.redis.publish(this.options.channel, name);
    });
  }

  /** Reads the value again at the next `get`. Only this instance does so. */
  reread(key: Key): void {
    this.entries.delete(nameOf(key));
  }

  /** The age of the map counts from its creation, so no value in it is older than the map. */
  private valuesOf(key: Key): Map<Detail, Promise<Value>> {
    const name = nameOf(key);
    let values = this.entries.get(name);
    if (!values) {
      values = new Map();
      this.entries.set(name, values);
    }
    return values;
  }
}

/** The name of a key in messages over Redis. */
function nameOf(key: number | string | void): string {
  return key === undefined ? '' : String(key);
}
