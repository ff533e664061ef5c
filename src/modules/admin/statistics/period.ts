import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { formatDay, parseDay, utcDay } from '../../../common/utc-day';
import { firstInstantOf } from '../../../common/validation/times';
import type { TimeQuery } from '../../../database/statements/time-range';

/** Longest period of a report in days: a leap year. */
export const LONGEST_PERIOD_DAYS = 366;

/** Default period of a report in days. */
const DEFAULT_PERIOD_DAYS = 30;

/** UTC days, `YYYY-MM-DD`, both inclusive. */
export interface Period {
  from: string;
  to: string;
}

/**
 * The days of a report. Default: the 30 days up to today. An instant selects its UTC day.
 *
 * @throws InvalidParameterError when from > to, or the period is longer than 366 days
 */
export function reportPeriod(query: TimeQuery, now: Date): Period {
  const to = utcDay(query.to === undefined ? now : firstInstantOf(query.to));
  const from = query.from === undefined ? to - DEFAULT_PERIOD_DAYS + 1 : utcDay(firstInstantOf(query.from));
  if (from > to) {
    throw new InvalidParameterError([{ field: 'to', reason: 'conflicts' }]);
  }
  if (to - from >= LONGEST_PERIOD_DAYS) {
    throw new InvalidParameterError([{ field: 'from', reason: 'conflicts' }]);
  }
  return { from: formatDay(from), to: formatDay(to) };
}

/** Every day of the period, in ascending order. */
export function daysOf({ from, to }: Period): string[] {
  const first = parseDay(from);
  return Array.from({ length: parseDay(to) - first + 1 }, (_, index) => formatDay(first + index));
}
