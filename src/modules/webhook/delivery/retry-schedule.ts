import { retryAfterMilliseconds } from '../../../common/http/retry-after';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../../../common/time';

/** Milliseconds to wait after the first, second … failed attempt. After the last pause there is one more attempt. */
export const RETRY_PAUSES: readonly number[] = [
  5 * SECOND_MILLISECONDS,
  5 * MINUTE_MILLISECONDS,
  30 * MINUTE_MILLISECONDS,
  2 * HOUR_MILLISECONDS,
  5 * HOUR_MILLISECONDS,
  10 * HOUR_MILLISECONDS,
  14 * HOUR_MILLISECONDS,
  20 * HOUR_MILLISECONDS,
  DAY_MILLISECONDS,
];

const JITTER = 0.1;

const LONGEST_ASKED_PAUSE_MILLISECONDS = DAY_MILLISECONDS;

/**
 * Milliseconds until the next attempt, ±10 %, so that deliveries which failed together are not retried together. Null
 * if no attempts are left.
 *
 * @param failures failed attempts so far, from 1
 * @param random a number from 0 to 1, for tests
 */
export function retryPause(failures: number, random: number = Math.random()): number | null {
  const pause = RETRY_PAUSES[failures - 1];
  return pause === undefined ? null : Math.round(pause * (1 - JITTER + 2 * JITTER * random));
}

/**
 * The pause in milliseconds that the endpoint requests by the header `Retry-After`, at most one day. Null if it
 * requests none.
 */
export function requestedPause(header: string | null, now: Date): number | null {
  const pause = retryAfterMilliseconds(header, now);
  return pause === null || pause === 0 ? null : Math.min(pause, LONGEST_ASKED_PAUSE_MILLISECONDS);
}
