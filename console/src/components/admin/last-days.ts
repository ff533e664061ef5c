import type { UsageRowDto } from 'chat-service-client';
import { api } from '../../app/api';
import { formatNumber } from '../../app/i18n/formats';

const DAY_MILLISECONDS = 86_400_000;

/** The UTC day so many days after another one; both are `YYYY-MM-DD`. */
export function dayAfter(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/**
 * Usage on each of `count` days before a day, in ascending order, including days without usage.
 *
 * @param query filters of the usage statistics
 */
export async function usageBefore(
  day: string,
  count: number,
  query: Record<string, string> = {},
): Promise<(UsageRowDto | undefined)[]> {
  const from = dayAfter(day, -count);
  const period = { from, to: dayAfter(day, -1), group_by: 'day' as const, size: 100 };
  const { data } = await api.admin.stats.usage({ query: { ...query, ...period } });
  return Array.from({ length: count }, (_day, index) => {
    const key = dayAfter(from, index);
    return data.items.find((row) => row.key === key);
  });
}

/** The relative difference of two amounts, such as `+12%`; null if the earlier one is 0. */
export function changeOf(now: number, before: number): string | null {
  if (before === 0) return null;
  const options = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 } as const;
  return formatNumber((now - before) / before, options);
}
