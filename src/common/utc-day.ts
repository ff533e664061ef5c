import { DAY_MILLISECONDS } from './time';

/** A UTC day as a number: days since 1970-01-01. */
export type UtcDay = number;

export function utcDay(at: Date): UtcDay {
  return Math.floor(at.getTime() / DAY_MILLISECONDS);
}

/** The first instant of a day. */
export function startOfDay(day: UtcDay): Date {
  return new Date(day * DAY_MILLISECONDS);
}

/** `YYYY-MM-DD` */
export function formatDay(day: UtcDay): string {
  return startOfDay(day).toISOString().slice(0, 10);
}

/** Parses `YYYY-MM-DD`; NaN for other text. */
export function parseDay(text: string): UtcDay {
  return utcDay(new Date(`${text}T00:00:00Z`));
}
