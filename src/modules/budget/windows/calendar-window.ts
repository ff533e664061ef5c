import { LRUCache } from 'lru-cache';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../common/time';

/** Larger than the offset of any time zone from UTC. */
const LARGEST_OFFSET = 16 * HOUR_MILLISECONDS;

/** Calendar days in one time zone, as days since 1970-01-01. */
class LocalDates {
  private readonly format: Intl.DateTimeFormat | null;
  private readonly starts = new LRUCache<number, Date>({ max: 1_000 });

  constructor(timeZone: string) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const isUtc = timeZone === 'UTC';
    this.format = isUtc ? null : new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', { timeZone, ...parts });
  }

  /** The local calendar day at this instant. */
  dayOf(at: Date): number {
    return this.dayAt(at.getTime());
  }

  /** When the local calendar reaches this day, or a later one if it skips the day. */
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

export const BUDGET_WINDOWS = ['day', 'week', 'month', 'total'] as const;

/** How long a budget lasts before it resets. `total` never resets. */
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

/** A period from `start` (inclusive) to `end` (exclusive). `end` is null if the period has no end. */
export interface WindowBounds {
  start: Date;
  end: Date | null;
}

/** A calendar day, in days since 1970-01-01, which was a Thursday. */
type CalendarDay = number;

/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4;

/**
 * Calendar windows in one time zone. A day starts with its first local instant, which is not always midnight because
 * clocks may be moved. Windows always follow each other without a gap.
 */
export class Calendar {
  private readonly dates: LocalDates;
  /** The last result for each type of window. */
  private readonly last = new Map<BudgetWindow, WindowBounds & { end: Date }>();

  /** @param timeZone IANA name, such as `Europe/Berlin` */
  constructor(timeZone: string) {
    this.dates = new LocalDates(timeZone);
  }

  /**
   * The window that contains an instant.
   *
   * @param startsAt start of a budget that never resets
   */
  currentWindow(window: BudgetWindow, at: Date, startsAt: Date): WindowBounds {
    if (window === 'total') {
      return { start: startsAt, end: null };
    }
    const last = this.last.get(window);
    if (last !== undefined && at >= last.start && at < last.end) {
      return last;
    }
    const found = this.find(window, at);
    this.last.set(window, found);
    return found;
  }

  /**
   * If clocks are set back across midnight, the same day occurs twice but starts only once. Then the adjacent window
   * contains the instant.
   */
  private find(window: Exclude<BudgetWindow, 'total'>, at: Date): WindowBounds & { end: Date } {
    const first = firstDay(window, this.dates.dayOf(at));
    const bounds = this.toBounds(window, first);
    if (at < bounds.start) {
      return this.toBounds(window, firstDay(window, first - 1));
    }
    return at < bounds.end ? bounds : this.toBounds(window, dayAfter(window, first));
  }

  private toBounds(window: Exclude<BudgetWindow, 'total'>, first: CalendarDay): WindowBounds & { end: Date } {
    return { start: this.dates.startOf(first), end: this.dates.startOf(dayAfter(window, first)) };
  }
}

/** The first day of the window that contains this day. */
function firstDay(window: Exclude<BudgetWindow, 'total'>, day: CalendarDay): CalendarDay {
  switch (window) {
    case 'day':
      return day;
    case 'week':
      return day - modulo(day - FIRST_MONDAY, 7);
    case 'month':
      return day - new Date(day * DAY_MILLISECONDS).getUTCDate() + 1;
  }
}

/** The first day after the window that starts with this day. */
function dayAfter(window: Exclude<BudgetWindow, 'total'>, first: CalendarDay): CalendarDay {
  if (window !== 'month') {
    return first + (window === 'week' ? 7 : 1);
  }
  const date = new Date(first * DAY_MILLISECONDS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MILLISECONDS;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
