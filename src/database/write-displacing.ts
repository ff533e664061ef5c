import type { EntityManager } from 'typeorm';
import { ServiceUnavailableError } from '../common/errors/common.errors';
import type { Database } from './database';
import { isUniqueViolation } from './database.errors';

/** How often the place of the default is fought for. */
const MOST_ATTEMPTS = 5;

/**
 * `Database.write` for tables of which one row at most is the default, by a unique column `is_default`. Where there was
 * none to be displaced, two new ones may meet: the later one then displaces the earlier.
 */
export async function writeDisplacing<Result>(
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
