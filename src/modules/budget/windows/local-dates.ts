import { LRUCache } from 'lru-cache';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../common/time';

/** No time zone is further from UTC than this. */
const LARGEST_OFFSET = 16 * HOUR_MILLISECONDS;

/** Days of the calendar in one time zone, in days since 1970-01-01. */
export class LocalDates {
  private readonly format: Intl.DateTimeFormat | null;
  private readonly starts = new LRUCache<number, Date>({ max: 1_000 });

  constructor(timeZone: string) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const isUtc = timeZone === 'UTC';
    this.format = isUtc ? null : new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', { timeZone, ...parts });
  }

  /** The day that a calendar on the wall shows at this instant. */
  dayOf(at: Date): number {
    return this.dayAt(at.getTime());
  }

  /** When the calendar comes to this day, or to a later one where it leaves the day out. */
  startOf(day: number): Date {
    const known = this.starts.get(day);
    if (known !== undefined) {
      return known;
    }
    const start = new Date(this.format === null ? day * DAY_MILLISECONDS : this.search(day));
    this.starts.set(day, start);
    return start;
  }

  private search(day: number): number {
    let before = day * DAY_MILLISECONDS - LARGEST_OFFSET;
    let from = day * DAY_MILLISECONDS + LARGEST_OFFSET;
    while (from - before > 1) {
      const middle = Math.floor((before + from) / 2);
      if (this.dayAt(middle) >= day) {
        from = middle;
      } else {
        before = middle;
      }
    }
    return from;
  }

  private dayAt(milliseconds: number): number {
    if (this.format === null) {
      return Math.floor(milliseconds / DAY_MILLISECONDS);
    }
    const parts = Object.fromEntries(this.format.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
    const { year, month, day } = parts;
    return Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MILLISECONDS;
  }
}
