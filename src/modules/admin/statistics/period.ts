import { And, type FindOperator, LessThanOrEqual, MoreThanOrEqual } from 'typeorm';
import { InvalidParameterError } from '../../../common/errors/validation.errors';
import { formatDay, parseDay, utcDay } from '../../../common/utc-day';
import { firstInstantOf, lastInstantOf } from '../../../common/validation/times';

/** Longest time that a report covers, in days: a leap year. */
export const LONGEST_PERIOD_DAYS = 366;

/** What a report covers by default, in days. */
const DEFAULT_PERIOD_DAYS = 30;

/** The period of a query: each end is a UTC day (`YYYY-MM-DD`), an instant (ISO 8601 with its offset), or open. */
export interface TimeQuery {
  from?: string;
  to?: string;
}

/** UTC days, `YYYY-MM-DD`, both included. */
export interface Period {
  from: string;
  to: string;
}

/**
 * The condition that a time lies between the ends. Both are included: an instant to its millisecond, a day from its first
 * millisecond to its last.
 *
 * @throws InvalidParameterError when from > to.
 */
export function inPeriod({ from, to }: TimeQuery): FindOperator<Date> | undefined {
  const first = from === undefined ? undefined : firstInstantOf(from);
  const last = to === undefined ? undefined : lastInstantOf(to);
  if (first && last && first > last) {
    throw new InvalidParameterError([{ field: 'to', reason: 'conflicts' }]);
  }
  const start = first && MoreThanOrEqual(first);
  const end = last && LessThanOrEqual(last);
  return start && end ? And(start, end) : (start ?? end);
}

/**
 * The days that a report covers: the 30 days up to today, unless the query says otherwise. For an instant, its UTC day
 * counts.
 *
 * @throws InvalidParameterError when from > to, or the period is longer than 366 days.
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

/** Every day of the period, ascending. */
export function daysOf({ from, to }: Period): string[] {
  const first = parseDay(from);
  return Array.from({ length: parseDay(to) - first + 1 }, (_, index) => formatDay(first + index));
}
