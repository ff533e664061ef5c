import { promisify } from 'node:util';
import type { Pool } from 'mysql2';

/** How long connections may take to close. */
const CLOSING_MILLISECONDS = 3_000;

/**
 * Closes pools together, and never fails: a connection that still tries to reach its server cannot be closed.
 *
 * @param cutAll cuts what is open then, or is not closed in time
 */
export function endTogether(pools: readonly Pool[], cutAll: () => void): (callback: () => void) => void {
  const ends = pools.map((pool) => promisify<void>(pool.end.bind(pool)));
  return (callback) => {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), CLOSING_MILLISECONDS);
    });
    const isRefused = Promise.all(ends.map((end) => end())).then(
      () => false,
      () => true,
    );
    void Promise.race([isLate, isRefused]).then((mustCut) => {
      clearTimeout(timer);
      if (mustCut) cutAll();
      callback();
    });
  };
}
