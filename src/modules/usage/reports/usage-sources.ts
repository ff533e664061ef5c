import type { UtcDay } from '../../../common/utc-day';
import { MEMBERS_OF_GROUPS } from '../../group/group.api';
import { rowsByProvider } from '../costs/provider-sums';
import { UNSUMMED } from '../folding/unsummed-usage';
import { firstDayOf, utcMonth } from './utc-month';

/** A table of sums, or a query with the same columns, and its days or months to read, both ends inclusive. */
export interface UsageSource {
  table: string;
  column: 'day' | 'month';
  from: number;
  to: number;
  /** The primary key starts with the column and the user, and no other index finds a user. */
  isKeyedByUser?: boolean;
}

/** Sources of sums over all users: closed days from their own table, open days from the roll-up. */
export function sourcesOfAll(from: UtcDay, to: UtcDay, newestClosedDay: UtcDay): UsageSource[] {
  return withoutEmpty([
    { table: 'usage_closed_days', column: 'day', from, to: Math.min(to, newestClosedDay) },
    rollup(Math.max(from, newestClosedDay + 1), to),
  ]);
}

/**
 * Sources of sums by user: a month from its own table if all its days are requested and closed, other days from the
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

/** Sources of sums that only the roll-up has: those of one user, which an index finds, or by user of an agent. */
export function sourcesInDetail(from: UtcDay, to: UtcDay): UsageSource[] {
  return [rollup(from, to)];
}

/** Sources of sums by API key. These are always exact, because they do not wait for the folding. */
export function sourcesByKey(from: UtcDay, to: UtcDay): UsageSource[] {
  return [{ table: 'usage_key_days', column: 'day', from, to, isKeyedByUser: true }];
}

/** Sources of sums by provider, including the rows that they do not contain yet. */
export function sourcesByProvider(from: UtcDay, to: UtcDay): UsageSource[] {
  const unsummedCosts = `(${rowsByProvider('usage_costs WHERE unsummed = 1')}) AS unsummed_costs`;
  return [
    { table: 'usage_provider_days', column: 'day', from, to },
    { table: unsummedCosts, column: 'day', from, to },
  ];
}

/**
 * The source by the users' current groups. A user in several groups counts in each, and a user without a group counts
 * for 0.
 */
export function inGroups(source: UsageSource): UsageSource {
  const table = `(
    SELECT COALESCE(member.group_id, 0) AS group_id, sums.* FROM (SELECT * FROM ${source.table}) AS sums
    LEFT JOIN (${MEMBERS_OF_GROUPS}) AS member ON member.user_id = sums.user_id
  ) AS grouped_sums`;
  return { ...source, table };
}

/** The rows that no table of sums contains yet. Closed days have none. */
export function unsummed(from: UtcDay, to: UtcDay): UsageSource {
  return { table: `(${UNSUMMED}) AS unsummed_usage`, column: 'day', from, to };
}

function rollup(from: UtcDay, to: UtcDay): UsageSource {
  return { table: 'usage_rollups', column: 'day', from, to };
}

function withoutEmpty(sources: UsageSource[]): UsageSource[] {
  return sources.filter(({ from, to }) => from <= to);
}
