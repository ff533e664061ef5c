/** Plans that can be purchased, with their length in calendar months. */
export const PLAN_MONTHS = { monthly: 1, yearly: 12 } as const;

export type PaidPlan = keyof typeof PLAN_MONTHS;

/** The latest end of a plan. It is the last instant that requests may contain, and every database can store it. */
const LAST_INSTANT = Date.UTC(8999, 11, 31, 23, 59, 59, 999);

/**
 * The same time of day `months` calendar months later, in UTC. If that day does not exist, the last day of the month.
 */
export function addMonths(start: Date, months: number): Date {
  const end = new Date(start);
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return new Date(Math.min(end.getTime(), LAST_INSTANT));
}
