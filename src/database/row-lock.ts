import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
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

/**
 * Has a query hold the rows it finds until the transaction ends, and pass over those that another transaction holds: each
 * of several workers gets rows of its own, and none waits for another.
 */
export function lockForClaim<Row extends ObjectLiteral>(
  manager: EntityManager,
  query: SelectQueryBuilder<Row>,
): SelectQueryBuilder<Row> {
  return isSqlite(manager) ? query : query.setLock('pessimistic_write').setOnLocked('skip_locked');
}
