import type { UtcDay } from '../../../common/utc-day';
import { rowsByProvider } from '../costs/provider-sums';
import { UNSUMMED } from '../folding/unsummed-usage';
import { firstDayOf, utcMonth } from './utc-month';

/** A table of sums, or a query with the same columns, and which of its days or months to read; both ends are included. */
export interface UsageSource {
  table: string;
  column: 'day' | 'month';
  from: number;
  to: number;
  /** The primary key begins with the column and the user, and no other index finds a user. */
  isKeyedByUser?: boolean;
}

/** Where to read sums over all users: closed days from their own table, open days from the roll-up. */
export function sourcesOfAll(from: UtcDay, to: UtcDay, newestClosedDay: UtcDay): UsageSource[] {
  return withoutEmpty([
    { table: 'usage_closed_days', column: 'day', from, to: Math.min(to, newestClosedDay) },
    rollup(Math.max(from, newestClosedDay + 1), to),
  ]);
}

/**
 * Where to read sums by user: a month from its own table if all its days are wanted and closed, other days from the
 * roll-up.
 */
export function sourcesByUser(from: UtcDay, to: UtcDay, newestClosedDay: UtcDay): UsageSource[] {
  const firstMonth = firstDayOf(utcMonth(from)) === from ? utcMonth(from) : utcMonth(from) + 1;
  const lastMonth = utcMonth(Math.min(to, newestClosedDay) + 1) - 1;
  if (firstMonth > lastMonth) {
    return [rollup(from, to)];
  }
  return withoutEmpty([
    rollup(from, firstDayOf(firstMonth) - 1),
    { table: 'usage_user_months', column: 'month', from: firstMonth, to: lastMonth, isKeyedByUser: true },
    rollup(firstDayOf(lastMonth + 1), to),
  ]);
}

/** Where to read sums that only the roll-up tells apart: those of one user, which it has an index for, or by user of an agent. */
export function sourcesInDetail(from: UtcDay, to: UtcDay): UsageSource[] {
  return [rollup(from, to)];
}

/** Where to read sums by API key: they are exact, and nothing of them waits for the folding. */
export function sourcesByKey(from: UtcDay, to: UtcDay): UsageSource[] {
  return [{ table: 'usage_key_days', column: 'day', from, to, isKeyedByUser: true }];
}

/** Where to read sums by provider, with what they do not have yet. */
export function sourcesByProvider(from: UtcDay, to: UtcDay): UsageSource[] {
  const unsummedCosts = `(${rowsByProvider('usage_costs WHERE unsummed = 1')}) AS unsummed_costs`;
  return [
    { table: 'usage_provider_days', column: 'day', from, to },
    { table: unsummedCosts, column: 'day', from, to },
  ];
}

/** What no table of sums has yet. Days that are closed have none of it. */
export function unsummed(from: UtcDay, to: UtcDay): UsageSource {
  return { table: `(${UNSUMMED}) AS unsummed_usage`, column: 'day', from, to };
}

function rollup(from: UtcDay, to: UtcDay): UsageSource {
  return { table: 'usage_rollups', column: 'day', from, to };
}

function withoutEmpty(sources: UsageSource[]): UsageSource[] {
  return sources.filter(({ from, to }) => from <= to);
}
