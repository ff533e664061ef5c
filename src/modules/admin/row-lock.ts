import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import type { Database } from '../../database/database';

/**
 * Reads one row that nobody else changes until the transaction ends, so that the log's state before is the one that was
 * changed. SQLite runs one transaction at a time and knows no row locks.
 */
export function findLocked<Row extends ObjectLiteral>(
  database: Database,
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
): Promise<Row | null> {
  return manager.findOne(entity, {
    where,
    ...(database.dialect === 'mysql' && { lock: { mode: 'pessimistic_write' } }),
  });
}
