import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { isSqlite } from './row-statements';

/**
 * The options with which `find` holds the rows it finds until the transaction ends. SQLite runs one transaction at a time
 * and knows no row locks.
 */
export function rowLock(manager: EntityManager): { lock?: { mode: 'pessimistic_write' } } {
  return isSqlite(manager) ? {} : { lock: { mode: 'pessimistic_write' } };
}

/** Reads one row that nobody else changes until the transaction ends; null when there is none. */
export function findLocked<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
): Promise<Row | null> {
  return manager.findOne(entity, { where, ...rowLock(manager) });
}
