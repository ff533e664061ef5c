import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../common/time';
import type { SharedClock } from './shared-clock';

/** Longer than any transaction lasts that took a lower id. */
const SETTLED_MILLISECONDS = 2 * MINUTE_MILLISECONDS;

/** Looks that follow each other faster count as one, so that few are remembered. */
const APART_MILLISECONDS = 10 * SECOND_MILLISECONDS;

/**
 * Up to which id the rows of a table are all there: ids are not in the order of commits, so a transaction that took a lower id
 * may still be open. What rows say of their own age is no measure, because the clocks of instances wrote it. So it counts since
 * when this process has seen them; after its start it knows of none for a while, and who waits for it begins that much later.
 */
export class SettledIds {
  private readonly seen: { id: number; at: number }[] = [];
  private settled: number | null = null;

  constructor(private readonly clock: SharedClock) {}

  /** Call it with the highest id that can be seen, or one of the highest. */
  see(id: number): void {
    const [before, last] = this.seen.slice(-2);
    if (before !== undefined && last !== undefined && last.at - before.at < APART_MILLISECONDS) {
      this.seen.pop();
    }
    this.seen.push({ id, at: this.now });
  }

  /** No row with this id or a lower one will come any more; null: it is not known of any. */
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
