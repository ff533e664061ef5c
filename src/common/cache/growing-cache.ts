import { LRUCache } from 'lru-cache';

/**
 * Keeps as many entries as it may at most, of those that were used last. It takes memory as it grows: with `max` the library
 * allocates all places when it is made, which for the caches of this service were 4 MB and 30 ms of each start.
 */
export function growingCache<Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(
  most: number,
  options: Pick<LRUCache.OptionsBase<Key, Value, unknown>, 'ttl' | 'ttlResolution'> = {},
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ ...options, maxSize: most, sizeCalculation: () => 1 });
}
