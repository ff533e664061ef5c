const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after the first, second … failed attempt, in milliseconds; after the last of them there is no other. */
export const RETRY_PAUSES: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

const JITTER = 0.1;

/** Longest wait that a receiver may ask for. */
const LONGEST_RETRY_AFTER = 24 * HOUR;

/**
 * Milliseconds until the next attempt, ±10 %, so that what failed together does not return together; null when the
 * attempts are used up.
 *
 * @param failures failed attempts so far, from 1
 * @param random a number from 0 to 1, for tests
 */
export function retryPause(failures: number, random: number = Math.random()): number | null {
  const pause = RETRY_PAUSES[failures - 1];
  return pause === undefined ? null : Math.round(pause * (1 - JITTER + 2 * JITTER * random));
}

/** Reads the header `Retry-After` (RFC 9110 §10.2.3), seconds or a date, as milliseconds from now; null if no pause. */
export function retryAfterMilliseconds(header: string | null, now: Date): number | null {
  if (header === null) {
    return null;
  }
  const text = header.trim();
  const pause = /^\d{1,10}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return pause > 0 ? Math.min(pause, LONGEST_RETRY_AFTER) : null;
}
