import { LRUCache } from 'lru-cache';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../common/time';

/** No time zone is further from UTC than this. */
const LARGEST_OFFSET = 16 * HOUR_MILLISECONDS;

/** Days of the calendar in one time zone, in days since 1970-01-01. */
class LocalDates {
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

export const BUDGET_WINDOWS = ['day', 'week', 'month', 'total'] as const;

/** How long a budget lasts before it begins anew; `total`: for ever. */
export type BudgetWindow = (typeof BUDGET_WINDOWS)[number];

/** A stretch of time in which a budget is spent: from `start` on, and before `end`; null: without end. */
export interface WindowBounds {
  start: Date;
  end: Date | null;
}

/** A day of the calendar, in days since 1970-01-01, which was a Thursday. */
type CalendarDay = number;

/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4;

/**
 * Calendar windows in one time zone. A day begins with its first instant there, which is not always midnight: clocks jump.
 * Windows follow each other without gap, whatever clocks do.
 */
export class Calendar {
  private readonly dates: LocalDates;
  /** The window of each kind that was asked for last. */
  private readonly last = new Map<BudgetWindow, WindowBounds & { end: Date }>();

  /** @param timeZone IANA name, such as `Europe/Berlin` */
  constructor(timeZone: string) {
    this.dates = new LocalDates(timeZone);
  }

  /**
   * The window that an instant belongs to.
   *
   * @param startsAt of a budget for ever
   */
  windowAt(window: BudgetWindow, at: Date, startsAt: Date): WindowBounds {
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

  /** Clocks that are set back across midnight show a day twice: it begins once, and the window is the one next to it then. */
  private find(window: Exclude<BudgetWindow, 'total'>, at: Date): WindowBounds & { end: Date } {
    const first = firstDay(window, this.dates.dayOf(at));
    const bounds = this.boundsFrom(window, first);
    if (at < bounds.start) {
      return this.boundsFrom(window, firstDay(window, first - 1));
    }
    return at < bounds.end ? bounds : this.boundsFrom(window, dayAfter(window, first));
  }

  private boundsFrom(window: Exclude<BudgetWindow, 'total'>, first: CalendarDay): WindowBounds & { end: Date } {
    return { start: this.dates.startOf(first), end: this.dates.startOf(dayAfter(window, first)) };
  }
}

/** The first day of the window that has this day. */
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

/** The first day after the window that begins with this day. */
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
