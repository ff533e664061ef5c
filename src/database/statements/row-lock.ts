import {
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  In,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import { isSqlite } from '../connection/dialect';

/*
 * Locks rows, so nobody else changes them until the transaction ends. SQLite runs one transaction at a time and has no row
 * locks; there these functions do not change a query.
 */

/** Options that make `find` lock its rows. */
export function rowLock(manager: EntityManager): { lock?: { mode: 'pessimistic_write' } } {
  return isSqlite(manager) ? {} : { lock: { mode: 'pessimistic_write' } };
}

/** Reads and locks one row; null when there is none. */
export function findLocked<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
): Promise<Row | null> {
  return manager.findOne(entity, { where, ...rowLock(manager) });
}

/** Locks rows in the order of their ids, so that no two callers wait for each other. */
export async function lockRows<Row extends ObjectLiteral & { id: number }>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  ids: number[],
): Promise<void> {
  if (ids.length > 0 && !isSqlite(manager)) {
    const rows = manager
      .createQueryBuilder(entity, 'row')
      .select('row.id')
      .where({ id: In(ids) })
      .orderBy('row.id');
    await rows.setLock('pessimistic_write').getMany();
  }
}

/**
 * Makes a query lock its rows, and skip rows that another transaction has locked. So each of several workers gets its
 * own rows, and none waits for another.
 */
export function lockForClaim<Row extends ObjectLiteral>(
  manager: EntityManager,
  query: SelectQueryBuilder<Row>,
): SelectQueryBuilder<Row> {
  return isSqlite(manager) ? query : query.setLock('pessimistic_write').setOnLocked('skip_locked');
}

/** Makes a query lock its rows, and wait for rows that another transaction has locked. */
export function lockQuery<Row extends ObjectLiteral>(
  manager: EntityManager,
  query: SelectQueryBuilder<Row>,
): SelectQueryBuilder<Row> {
  return isSqlite(manager) ? query : query.setLock('pessimistic_write');
}

/** The last words of SQL that locks its rows as `lockForClaim` does. */
export function claimingSql(manager: EntityManager): string {
  return isSqlite(manager) ? '' : 'FOR UPDATE SKIP LOCKED';
}
