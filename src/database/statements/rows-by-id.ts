import type { EntityManager } from 'typeorm';
import { isSqlite } from '../connection/dialect';

/** Far fewer values than SQLite allows in one statement (32,766). */
const BATCH = 1_000;

/** SQL about the given rows of a table. */
export interface RowsById {
  /** The text after FROM. Further conditions follow `AND`. */
  from: string;
  /** The statement that deletes them. Further conditions follow `AND`. */
  remove: string;
  /** The statement that changes them; `changes` is the text after SET. */
  update: (changes: string) => string;
}

/**
 * SQL that touches only these rows. With `id IN (…)`, MySQL may scan a small table from its start, and then wait for
 * rows that another transaction has locked. Two transactions that each lock their own rows would wait for each other.
 * MariaDB may read all rows of an index whose first column has one value.
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

/** Splits any number of ids into batches that every statement accepts. */
export function* idBatches(ids: readonly number[]): Generator<number[]> {
  for (let start = 0; start < ids.length; start += BATCH) {
    yield ids.slice(start, start + BATCH);
  }
}

/** Whole numbers as a list for `IN`, without parameters, whose number would be limited. */
export function idList(ids: readonly number[]): string {
  return `(${ids.map(Number).join(', ')})`;
}
