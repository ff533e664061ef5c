import type { LRUCache } from 'lru-cache';
import type { RedisConnection } from '../redis/redis-connection';
import { growingCache } from './growing-cache';

/**
 * How long an instance without Redis may use a value that another instance has changed: within five seconds, so that who only
 * looks twice a second, as open feeds do, hears of it in that time too.
 */
const FRESH_MILLISECONDS = 4_000;

export interface SharedCacheOptions<Key, Value, Detail> {
  /** The Redis channel that tells the other instances which key to forget. Each cache has its own channel. */
  channel: string;
  /** Reads the value from the database. All waiting callers get a failure; the cache does not keep it. */
  load: (key: Key, detail: Detail) => Promise<Value>;
  /** The cache keeps at most so many keys, and drops the least recently used one. */
  mostKeys?: number;
  freshMilliseconds?: number;
  database: { onCommit(callback: () => void): void };
  redis: Pick<RedisConnection, 'publish' | 'subscribe'>;
}

/**
 * Keeps values of the database in memory for a few seconds, and forgets them when they change. This instance forgets a
 * value with the commit; Redis tells the others. While Redis is away, the others keep the value until it is no longer
 * fresh.
 *
 * It keeps promises instead of values, for two reasons. Requests that arrive together share one query. And a change
 * removes also the query that is still running, so its old result is never used again.
 *
 * A cache of one value has no key: `SharedCache<void, Settings>`. When a key has several values, `Detail` distinguishes
 * them; all values of a key are forgotten together.
 */
export class SharedCache<Key extends number | string | void, Value, Detail = void> {
  private readonly entries: LRUCache<string, Map<Detail, Promise<Value>>>;

  constructor(private readonly options: SharedCacheOptions<Key, Value, Detail>) {
    this.entries = growingCache(options.mostKeys ?? 1, {
      ttl: options.freshMilliseconds ?? FRESH_MILLISECONDS,
      // To read the clock each time is cheaper than the timer that would avoid it.
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
    // The entry may have been replaced in the meantime. This removes the failure from its own entry only, not from a
    // newer one.
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
