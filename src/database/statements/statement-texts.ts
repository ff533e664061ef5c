import type { EntityManager, ObjectLiteral } from 'typeorm';
import { isSqlite } from '../connection/dialect';
import type { StatementValue } from '../connection/statement-result';
import type { EntityColumn, EntityTable } from './entity-columns';

/*
 * Texts of statements that change rows. Building such a text takes longer than SQLite needs to run the statement, so
 * each is built once for each set of columns.
 */

const texts = new Map<string, string>();

/** The text of a statement, built once. The parts must contain everything on which it depends. */
export function cachedText(parts: readonly string[], make: () => string): string {
  const key = parts.join(' ');
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
  }
  return text;
}

/** The beginning of a statement that inserts the given number of rows, with `?` for each value. */
export function insertInto(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`;
}

/** The text between the values of an insert and the changes of an existing row. */
export function onConflict(manager: EntityManager, keyColumns: string[]): string {
  return isSqlite(manager) ? `ON CONFLICT (${keyColumns.join(', ')}) DO UPDATE SET` : 'ON DUPLICATE KEY UPDATE';
}

/** The columns of the members that a row has. */
export function presentColumns({ columns }: EntityTable, rows: readonly ObjectLiteral[]): EntityColumn[] {
  const [first, ...more] = rows;
  return columns.filter(
    ({ member }) => first?.[member] !== undefined || (more.length > 0 && more.some((row) => row[member] !== undefined)),
  );
}

/** The values of a row for the database; absent members become NULL. */
export function storedValues(columns: readonly EntityColumn[], row: ObjectLiteral): StatementValue[] {
  return columns.map(({ member, toStored }) => (row[member] === undefined ? null : toStored(row[member])));
}

/** The names of columns in the table. */
export function names(columns: readonly EntityColumn[]): string[] {
  return columns.map(({ name }) => name);
}
