import type { EntityManager } from 'typeorm';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import type { Database } from '../database';
import { isUniqueViolation } from '../database.errors';

/** How often this tries to store a new default. */
const MOST_ATTEMPTS = 5;

/**
 * `Database.write` for tables in which at most one row is the default, by a unique column `is_default`. If there was no
 * default, two new ones may collide. The later one then runs again and replaces the earlier one.
 */
export async function writeReplacingDefault<Result>(
  database: Database,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.write(work);
    } catch (error) {
      if (!isUniqueViolation(error, 'is_default')) {
        throw error;
      }
      if (attempt === MOST_ATTEMPTS) {
        throw new ServiceUnavailableError(error);
      }
    }
  }
}
