import { network } from './browser';
import { ApiError, ConnectionError } from './errors';

const FIRST_PAUSE_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 8_000;

/** Who is asked to come back later than this does not wait for it: the caller hears of it. */
const LONGEST_ASKED_SECONDS = 60;

/** Of failures that pass: of the service, of a proxy before it, and of who has asked too often. */
const PASSING_STATUSES = [408, 429, 500, 502, 503, 504];

/** Whether the same request may succeed soon. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError
    ? PASSING_STATUSES.includes(error.status) && isSoon(error)
    : error instanceof ConnectionError;
}

/** Not when the service asks for a longer wait, and not when it is told of a reply that has failed: it stays so. */
export function isSoon({ retryAfter, details }: ApiError): boolean {
  return (retryAfter ?? 0) <= LONGEST_ASKED_SECONDS && details.message_id === undefined;
}

/**
 * Waits as long as the service asked, and longer from one attempt to the next, never the same for two clients. A browser
 * whose network is back goes on.
 *
 * @throws what the signal was given as the reason
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
    // Whoever heard that the connection is lost may have left at once.
    if (signal?.aborted) leave();
  });
}
