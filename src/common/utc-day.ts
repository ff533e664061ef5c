import { DAY_MILLISECONDS } from './time';

/** A UTC day as a number: days since 1970-01-01. */
export type UtcDay = number;

export function utcDay(at: Date): UtcDay {
  return Math.floor(at.getTime() / DAY_MILLISECONDS);
}

/** The moment a day begins. */
export function startOfDay(day: UtcDay): Date {
  return new Date(day * DAY_MILLISECONDS);
}

/** `YYYY-MM-DD` */
export function formatDay(day: UtcDay): string {
  return startOfDay(day).toISOString().slice(0, 10);
}

/** Reads `YYYY-MM-DD`; other text gives NaN. */
export function parseDay(text: string): UtcDay {
  return utcDay(new Date(`${text}T00:00:00Z`));
}
