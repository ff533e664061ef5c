const MILLISECONDS_PER_DAY = 86_400_000;

/** A UTC day as a number: days since 1970-01-01. */
export type UtcDay = number;

export function utcDay(at: Date): UtcDay {
  return Math.floor(at.getTime() / MILLISECONDS_PER_DAY);
}

/** The moment a day begins. */
export function startOfDay(day: UtcDay): Date {
  return new Date(day * MILLISECONDS_PER_DAY);
}

/** `YYYY-MM-DD` */
export function formatDay(day: UtcDay): string {
  return startOfDay(day).toISOString().slice(0, 10);
}

/** Reads `YYYY-MM-DD`; other text gives NaN. */
export function parseDay(text: string): UtcDay {
  return utcDay(new Date(`${text}T00:00:00Z`));
}
