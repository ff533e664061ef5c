import { ExponentialBackoff, fullJitterGenerator, handleWhen, retry } from 'cockatiel';
import { counter } from '../../common/metrics/metrics';
import { isTransactionConflict } from '../database.errors';

const repeated = counter(
  'database_transactions_repeated_total',
  'Transactions that ran again, because the server had ended them for the sake of others (MySQL)',
);
const givenUp = counter(
  'database_transactions_given_up_total',
  'Transactions that failed, because the server had ended them again and again (MySQL)',
);

/**
 * A transaction with conflicts is retried at least this often, and for this long. In a cluster, transactions collide at
 * the commit.
 */
const FEWEST_ATTEMPTS = 5;
const RETRY_MILLISECONDS = 10_000;
const FIRST_PAUSE_MILLISECONDS = 20;
const LONGEST_PAUSE_MILLISECONDS = 640;

/** A random part of the pause, so that transactions that collided do not collide again. */
const pauses = new ExponentialBackoff({
  generator: fullJitterGenerator,
  initialDelay: FIRST_PAUSE_MILLISECONDS,
  maxDelay: LONGEST_PAUSE_MILLISECONDS,
});

/** Runs a transaction, and repeats it while the server ends it because of others. */
export function repeatConflicts<Result>(transact: () => Promise<Result>): Promise<Result> {
  const began = performance.now();
  let attempts = 0;
  const isRepeated = (error: Error): boolean => {
    if (!isTransactionConflict(error)) {
      return false;
    }
    attempts++;
    const isGivenUp = attempts >= FEWEST_ATTEMPTS && performance.now() - began > RETRY_MILLISECONDS;
    (isGivenUp ? givenUp : repeated).inc();
    return !isGivenUp;
  };
  return retry(handleWhen(isRepeated), { maxAttempts: Infinity, backoff: pauses }).execute(transact);
}
