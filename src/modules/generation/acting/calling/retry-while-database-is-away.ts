import { handleWhen, IterableBackoff, retry } from 'cockatiel';
import { isPassingFault } from '../../reply/reply-failure';

/** Milliseconds before it is done again; the last one from then on. */
const PAUSES = [50, 200, 1_000, 3_000];

const whileAway = retry(handleWhen(isPassingFault), { maxAttempts: Infinity, backoff: new IterableBackoff(PAUSES) });

/** Repeats what the database cannot do just now. */
export function retryWhileDatabaseIsAway<Result>(work: () => Promise<Result>): Promise<Result> {
  return whileAway.execute(work);
}
