import { LRUCache } from 'lru-cache';
import type { RedisConnection } from '../redis/redis-connection';

/** How long an instance that has no Redis may answer from a value that another instance has changed. */
const FRESH_MILLISECONDS = 5_000;

export interface SharedCacheOptions<Key, Value, Detail> {
  /** The Redis channel that tells the other instances which key to forget; one cache, one channel. */
  channel: string;
  /** Reads the value from the database. A failure is handed to all who wait for it, and is not kept. */
  load: (key: Key, detail: Detail) => Promise<Value>;
  /** Keys that are kept at most; the one that was not asked for longest gives way. */
  mostKeys?: number;
  freshMilliseconds?: number;
  database: { onCommit(callback: () => void): void };
  redis: Pick<RedisConnection, 'publish' | 'subscribe'>;
}

/**
 * Keeps values of the database in memory for a few seconds, and forgets them when they change: in this instance with the
 * commit, in the others as soon as Redis tells them. While Redis is away they find out when the value is no longer fresh.
 *
 * It keeps promises instead of values, for two reasons: requests that come together share one query, and a query that
 * began before a change goes with the entry that the change removes, so that its old result never comes back.
 *
 * A cache of one value has no key: `SharedCache<void, Settings>`. Where a key has several values, `Detail` tells them
 * apart; all values of a key are forgotten together.
 */
export class SharedCache<Key extends number | string | void, Value, Detail = void> {
  private readonly entries: LRUCache<string, Map<Detail, Promise<Value>>>;

  constructor(private readonly options: SharedCacheOptions<Key, Value, Detail>) {
    this.entries = new LRUCache({
      max: options.mostKeys ?? 1,
      ttl: options.freshMilliseconds ?? FRESH_MILLISECONDS,
      // Reading the clock each time is cheaper than the timer that would save it.
      ttlResolution: 0,
    });
    options.redis.subscribe(options.channel, (name) => this.entries.delete(name));
  }

  /** The value, read now unless a fresh one is there. Do not change what it hands out: others get the same object. */
  get(key: Key, detail: Detail): Promise<Value> {
    const values = this.valuesOf(key);
    const known = values.get(detail);
    if (known) {
      return known;
    }
    const loading = this.options.load(key, detail);
    values.set(detail, loading);
    // The entry may have been forgotten meanwhile; this removes the failure from its own entry and from no newer one.
    loading.catch(() => values.delete(detail));
    return loading;
  }

  /** Within `Database.write`: what `get` answers after the commit was read after it. */
  forgetOnCommit(key: Key): void {
    this.options.database.onCommit(() => {
      const name = nameOf(key);
      this.entries.delete(name);
      this.options.redis.publish(this.options.channel, name);
    });
  }

  /** Its age counts from here: no value in it is older than the map. */
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

/** What a key is called in a message of Redis. */
function nameOf(key: number | string | void): string {
  return key === undefined ? '' : String(key);
}
