import { type EntityManager, type EntityTarget, In, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { isSqlite } from '../connection/dialect';
import { findRow, findRows } from './find';
import type { Where } from './row-condition';

/*
 * Locks rows, so that no other transaction changes them until this one ends. SQLite runs one transaction at a time and
 * has no row locks; there these functions do not change a query.
 */

/** Reads and locks one row; null if there is none. */
export function findLocked<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: Where<Row>,
): Promise<Row | null> {
  return findRow(manager, entity, where, { lock: 'wait' }) as Promise<Row | null>;
}

/** Locks rows in the order of their ids, so that no two callers wait for each other. */
export async function lockRows<Row extends ObjectLiteral & { id: number }>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  ids: number[],
): Promise<void> {
  if (ids.length > 0 && !isSqlite(manager)) {
    const where = { id: In(ids) } as Where<Row>;
    await findRows(manager, entity, where, { members: ['id'], order: { id: 'ASC' } as never, lock: 'wait' });
  }
}

/** Makes a SELECT lock the rows of its table. */
export function lockedRows(manager: EntityManager, select: string): string {
  return isSqlite(manager) ? select : `${select} FOR UPDATE`;
}

/** Makes a SELECT lock the rows of its table, and skip rows that another transaction has locked. */
export function skipLocked(manager: EntityManager, select: string): string {
  return isSqlite(manager) ? select : `${select} FOR UPDATE SKIP LOCKED`;
}

/**
 * Makes a query lock its rows, and skip rows that another transaction has locked, so that each of several workers gets
 * its own rows, and none waits for another.
 */
export function lockForClaim<Row extends ObjectLiteral>(
  manager: EntityManager,
  query: SelectQueryBuilder<Row>,
): SelectQueryBuilder<Row> {
  return isSqlite(manager) ? query : query.setLock('pessimistic_write').setOnLocked('skip_locked');
}
