import { And, FindOperator, LessThanOrEqual, MoreThanOrEqual } from 'typeorm';
import { InvalidParameterError } from '../../common/errors/validation.errors';

const MILLISECONDS_PER_DAY = 86_400_000;

/** Longest time that a report covers, in days: a leap year. */
export const LONGEST_PERIOD = 366;

/** What a report covers when nothing is said, in days. */
const DEFAULT_PERIOD = 30;

/** What a query says of a time: each end is a UTC day (`YYYY-MM-DD`), an instant (ISO 8601 with its offset), or open. */
export interface TimeQuery {
  from?: string;
  to?: string;
}

/** UTC days, `YYYY-MM-DD`, both included. */
export interface Period {
  from: string;
  to: string;
}

/** Whether `value` names a UTC day that the calendar has. */
export function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !/^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/.test(value)) {
    return false;
  }
  const date = startOf(value);
  return !Number.isNaN(date.getTime()) && dayOf(date) === value;
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
  assertOrder(first, last);
  const start = first && MoreThanOrEqual(first);
  const end = last && LessThanOrEqual(last);
  return start && end ? And(start, end) : (start ?? end);
}

/**
 * The days that a report has to cover: up to today and over 30 days unless the query says otherwise. Of an instant its
 * UTC day counts.
 *
 * @throws InvalidParameterError when from > to, or it is more than 366 days.
 */
export function reportPeriod(query: TimeQuery, now: Date): Period {
  const to = dayOf(query.to === undefined ? now : firstInstantOf(query.to));
  const from = dayOf(
    query.from === undefined
      ? new Date(startOf(to).getTime() - (DEFAULT_PERIOD - 1) * MILLISECONDS_PER_DAY)
      : firstInstantOf(query.from),
  );
  assertOrder(startOf(from), startOf(to));
  if (startOf(to).getTime() - startOf(from).getTime() >= LONGEST_PERIOD * MILLISECONDS_PER_DAY) {
    throw new InvalidParameterError([{ field: 'from', reason: 'conflicts' }]);
  }
  return { from, to };
}

/** Every day of the period, ascending. */
export function daysOf({ from, to }: Period): string[] {
  const count = (startOf(to).getTime() - startOf(from).getTime()) / MILLISECONDS_PER_DAY + 1;
  return Array.from({ length: count }, (_, index) =>
    dayOf(new Date(startOf(from).getTime() + index * MILLISECONDS_PER_DAY)),
  );
}

function assertOrder(from: Date | undefined, to: Date | undefined): void {
  if (from && to && from > to) {
    throw new InvalidParameterError([{ field: 'to', reason: 'conflicts' }]);
  }
}

function firstInstantOf(time: string): Date {
  return isDay(time) ? startOf(time) : new Date(time);
}

function lastInstantOf(time: string): Date {
  return isDay(time) ? new Date(startOf(time).getTime() + MILLISECONDS_PER_DAY - 1) : new Date(time);
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
