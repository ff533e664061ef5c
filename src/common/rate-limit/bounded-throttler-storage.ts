import { Injectable } from '@nestjs/common';
import type { LRUCache } from 'lru-cache';
import { growingCache } from '../cache/growing-cache';
import { Clock } from '../clock';
import { toWindowRecord, windowEnd, WindowRecord, WindowStorage } from './budgets';

/** The store counts at most this many callers per budget. A full budget of IPv6 callers takes 20 MB. */
export const CALLERS_PER_BUDGET = 100_000;

interface Window {
  hits: number;
  endsAt: number;
}

/**
 * Counts in this process, in bounded memory, without timers, in constant time per hit.
 *
 * If a budget is full, the store drops the caller with the oldest request. This lets requests through on purpose. If
 * the store refused new callers, or counted them together, a flood from many addresses could lock out all users. To
 * make the store drop one caller takes 100,000 requests from as many addresses, all of which were allowed anyway, so an
 * attacker gains nothing. Busy callers are dropped last. Every budget has its own store, so anonymous floods never
 * change the counts of signed-in users.
 */
@Injectable()
export class BoundedThrottlerStorage implements WindowStorage {
  private readonly budgets = new Map<string, LRUCache<string, Window>>();

  constructor(private readonly clock: Clock) {}

  /** Number of callers in memory, over all budgets. */
  get size(): number {
    return [...this.budgets.values()].reduce((total, windows) => total + windows.size, 0);
  }

  increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    throttlerName: string,
  ): Promise<WindowRecord> {
    const now = this.clock.now().getTime();
    const windows = this.windowsOf(throttlerName);
    let window = windows.get(key);
    // A window that ends later than a new window would started before the system's clock was set back.
    if (!window || window.endsAt <= now || window.endsAt > now + ttl) {
      window = { hits: 0, endsAt: windowEnd(now, ttl) };
      windows.set(key, window);
    }
    const isWithinLimit = window.hits < limit;
    if (isWithinLimit) {
      window.hits += 1;
    }
    const hits = isWithinLimit ? window.hits : limit + 1;
    return Promise.resolve(toWindowRecord(hits, limit, window.endsAt, window.endsAt - now));
  }

  private windowsOf(throttlerName: string): LRUCache<string, Window> {
    let windows = this.budgets.get(throttlerName);
    if (!windows) {
      windows = growingCache(CALLERS_PER_BUDGET);
      this.budgets.set(throttlerName, windows);
    }
    return windows;
  }
}
