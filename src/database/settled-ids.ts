import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../common/time';
import type { SharedClock } from './shared-clock';

/** Longer than any transaction that took a lower id can last. */
const SETTLED_MILLISECONDS = 2 * MINUTE_MILLISECONDS;

/** Observations that follow each other faster count as one, so that few are stored. */
const APART_MILLISECONDS = 10 * SECOND_MILLISECONDS;

/**
 * Up to which id all rows of a table are visible. Ids are not in the order of commits, so a transaction that took a
 * lower id may still be open. The time in a row is no measure of its age, because the clocks of instances wrote it.
 * This therefore counts from when this process first saw an id. After a start it knows no such id for a while, and its
 * callers begin that much later.
 */
export class SettledIds {
  private readonly seen: { id: number; at: number }[] = [];
  private settled: number | null = null;

  constructor(private readonly clock: SharedClock) {}

  /** Call it with the highest visible id, or one of the highest. */
  see(id: number): void {
    const [before, last] = this.seen.slice(-2);
    if (before !== undefined && last !== undefined && last.at - before.at < APART_MILLISECONDS) {
      this.seen.pop();
    }
    this.seen.push({ id, at: this.now });
  }

  /** No row with this id or a lower one will be added; null if no such id is known yet. */
  get limit(): number | null {
    const until = this.now - SETTLED_MILLISECONDS;
    for (let [first] = this.seen; first !== undefined && first.at <= until; [first] = this.seen) {
      this.settled = Math.max(this.settled ?? 0, first.id);
      this.seen.shift();
    }
    return this.settled;
  }

  private get now(): number {
    return this.clock.now().getTime();
  }
}
