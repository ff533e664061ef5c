import { handleWhen, IterableBackoff, retry } from 'cockatiel';
import { isPassingFault } from '../../reply/reply-failure';

/** Milliseconds between attempts. The last value repeats. */
const PAUSES = [50, 200, 1_000, 3_000];

const whileAway = retry(handleWhen(isPassingFault), { maxAttempts: Infinity, backoff: new IterableBackoff(PAUSES) });

/** Repeats work that fails because the database is temporarily unavailable. */
export function retryWhileDatabaseIsAway<Result>(work: () => Promise<Result>): Promise<Result> {
  return whileAway.execute(work);
}
