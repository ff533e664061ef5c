import type { ThrottlerStorage } from '@nestjs/throttler';
import { MINUTE_MILLISECONDS, SECOND_MILLISECONDS } from '../time';

/**
 * The budgets that requests count against.
 *
 * - `session`: every exchange of a valid refresh token, by its session; no other budget counts it.
 * - `key`: every request with an API key that has its own limit, by the key.
 * - `scim`: every request of a directory, by its user, instead of `user`.
 * - `upload`: every request that sends a file, by user id, instead of `user`.
 * - `poll`: every read that clients repeat until something is done, by user id, instead of `user`.
 * - `token_count`: every count of a prompt's tokens, by user id, instead of `user`.
 * - `telemetry`: every message of a client program about itself, by user id, instead of `user`.
 * - `user`: every other request with a valid token or key, by user id.
 * - `sign_in`: every start of a sign-in, by client address; no other budget counts it.
 * - `address`: every other request, by client address.
 * - `auth`: every request to /auth/* in addition, by client address.
 */
export const BUDGETS = [
  ...(['session', 'key', 'scim', 'upload', 'poll', 'token_count', 'telemetry'] as const),
  ...(['user', 'sign_in', 'address', 'auth'] as const),
] as const;

export type Budget = (typeof BUDGETS)[number];

/**
 * Length of a window, in milliseconds. A window starts with a caller's first request and has a fixed end: see
 * `windowEnd`.
 */
export const WINDOW_MILLISECONDS = MINUTE_MILLISECONDS;

/** The state of a caller's budget after a hit. */
export interface WindowRecord extends Awaited<ReturnType<ThrottlerStorage['increment']>> {
  /** End of the window, Unix milliseconds; the same for every hit of one window. */
  windowEndsAt: number;
}

/**
 * Counts hits in fixed windows. A hit beyond the limit is refused and not counted, so a caller who keeps trying is
 * served again when the window ends. There are no block durations: a caller is blocked until the end of the window.
 */
export interface WindowStorage extends ThrottlerStorage {
  /**
   * @param key the budget and the caller
   * @param ttl length of a new window, in milliseconds; at least a second
   * @param limit hits that a window allows
   */
  increment(
    key: string,
    ttl: number,
    limit: number,
    blockDuration: number,
    throttlerName: string,
  ): Promise<WindowRecord>;
}

/** A window ends with a whole second, so that `X-RateLimit-Reset` is exact. It is up to a second shorter than `ttl`. */
export function windowEnd(now: number, ttl: number): number {
  return now - (now % SECOND_MILLISECONDS) + ttl;
}

/**
 * The record after a hit.
 *
 * @param hits number of this hit in its window; more than `limit` if it was refused
 * @param millisecondsLeft time until the window ends
 */
export function toWindowRecord(
  hits: number,
  limit: number,
  windowEndsAt: number,
  millisecondsLeft: number,
): WindowRecord {
  const isBlocked = hits > limit;
  const secondsLeft = Math.max(1, Math.ceil(millisecondsLeft / 1000));
  return {
    totalHits: hits,
    timeToExpire: secondsLeft,
    isBlocked,
    timeToBlockExpire: isBlocked ? secondsLeft : 0,
    windowEndsAt,
  };
}
