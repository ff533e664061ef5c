import type { EntityManager } from 'typeorm';
import { isSqlite } from '../connection/dialect';

/** Far fewer than SQLite takes values in one statement (32,766). */
const BATCH = 1_000;

/** SQL about certain rows of a table. */
export interface RowsById {
  /** Stands after FROM. */
  from: string;
  /** The statement that deletes them. */
  remove: string;
  /** The statement that changes them; `changes` stands after SET. */
  update: (changes: string) => string;
}

/**
 * SQL that touches no other rows than these. With `id IN (…)`, MySQL may read a small table from its beginning, and then
 * waits for rows that another transaction has locked: two that each lock their own rows wait for each other.
 */
export function rowsById(manager: EntityManager, table: string, key: string, ids: readonly number[]): RowsById {
  if (isSqlite(manager)) {
    const from = `${table} WHERE ${key} IN (${ids.join()})`;
    return {
      from,
      remove: `DELETE FROM ${from}`,
      update: (changes) => `UPDATE ${table} SET ${changes} WHERE ${key} IN (${ids.join()})`,
    };
  }
  const named = ids.map((id) => `SELECT ${id} AS named_id`).join(' UNION ALL ');
  const from = `(${named}) AS named STRAIGHT_JOIN ${table} ON ${table}.${key} = named.named_id`;
  return {
    from,
    remove: `DELETE ${table} FROM ${from}`,
    update: (changes) => `UPDATE ${from} SET ${changes}`,
  };
}

/** Any number of ids, as few at a time as every statement takes. */
export function* idBatches(ids: readonly number[]): Generator<number[]> {
  for (let start = 0; start < ids.length; start += BATCH) {
    yield ids.slice(start, start + BATCH);
  }
}

/** Whole numbers as a list for `IN`, without parameters: their number has no limit there. */
export function idList(ids: readonly number[]): string {
  return `(${ids.map(Number).join(', ')})`;
}
