import { setTimeout as delay } from 'node:timers/promises';
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

/** A transaction that others end runs again so often at least, and for so long. In a cluster they collide at the commit. */
const FEWEST_ATTEMPTS = 5;
const RETRY_MILLISECONDS = 10_000;
const FIRST_PAUSE_MILLISECONDS = 20;
const LONGEST_PAUSE_MILLISECONDS = 640;

/** Runs a transaction, and again while the server ends it because of others. */
export async function repeatConflicts<Result>(transact: () => Promise<Result>): Promise<Result> {
  const began = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact();
    } catch (error) {
      if (!isTransactionConflict(error)) {
        throw error;
      }
      if (attempt >= FEWEST_ATTEMPTS && performance.now() - began > RETRY_MILLISECONDS) {
        givenUp.inc();
        throw error;
      }
      repeated.inc();
      // A random time, so transactions that collided do not collide again.
      const pause = Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** (attempt - 1));
      await delay(Math.random() * pause);
    }
  }
}
