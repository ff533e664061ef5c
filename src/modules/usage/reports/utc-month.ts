import { startOfDay, type UtcDay, utcDay } from '../../../common/utc-day';

/** A UTC month as a number: twelve times the year, plus 0 for January to 11 for December. */
export type UtcMonth = number;

export function utcMonth(day: UtcDay): UtcMonth {
  const date = startOfDay(day);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export function firstDayOf(month: UtcMonth): UtcDay {
  return utcDay(new Date(Date.UTC(Math.floor(month / 12), month % 12, 1)));
}
