import { retryAfterMilliseconds } from '../../../common/http/retry-after';

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
const LONGEST_ASKED_PAUSE_MILLISECONDS = 24 * HOUR;

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

/**
 * Milliseconds that the endpoint asks to wait with the header `Retry-After`, at most a day; null when it asks for no wait.
 */
export function askedPause(header: string | null, now: Date): number | null {
  const pause = retryAfterMilliseconds(header, now);
  return pause === null || pause === 0 ? null : Math.min(pause, LONGEST_ASKED_PAUSE_MILLISECONDS);
}
