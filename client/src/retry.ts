import { network } from './browser';
import { ApiError, ConnectionError } from './errors';

const FIRST_PAUSE_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 8_000;

/** If `Retry-After` exceeds this time, the call fails at once. */
const LONGEST_ASKED_SECONDS = 60;

/** Temporary failures of the service, of a proxy, or due to a rate limit. */
const PASSING_STATUSES = [408, 429, 500, 502, 503, 504];

/** Whether the same request may succeed soon. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError
    ? PASSING_STATUSES.includes(error.status) && isSoon(error)
    : error instanceof ConnectionError;
}

/** False if the service requires a longer wait, or reports a reply that has failed, which is permanent. */
export function isSoon({ retryAfter, details }: ApiError): boolean {
  return (retryAfter ?? 0) <= LONGEST_ASKED_SECONDS && details.message_id === undefined;
}

/**
 * Waits as long as the service requires, plus a random delay that grows with each attempt. A browser's `online` event
 * cuts the wait short.
 *
 * @throws the abort reason of the signal
 */
export async function pause(attempts: number, error: unknown, signal?: AbortSignal): Promise<void> {
  const longest = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** (attempts - 1), LONGEST_PAUSE_MILLISECONDS);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0;
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => end(() => reject(signal?.reason as Error));
    const goOn = (): void => end(resolve);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      network.removeEventListener?.('online', goOn);
      settle();
    };
    const timer = setTimeout(goOn, asked + longest * (0.5 + Math.random() / 2));
    signal?.addEventListener('abort', leave);
    network.addEventListener?.('online', goOn);
    // The `onConnection` callback may have aborted before this listener was added.
    if (signal?.aborted) leave();
  });
}
