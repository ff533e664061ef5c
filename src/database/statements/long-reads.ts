import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { StatementValue } from '../connection/statement-result';
import type { Database } from '../database';
import { bindable } from '../sqlite/sqlite-driver';

/* Slow reads. A database server runs them in its own process, and for SQLite a thread does: see `ReaderThread`. */

/** The rows of a statement, each as an array of its columns. Columns of type blob are bytes. */
export async function readRows(
  database: Database,
  statement: string,
  parameters: readonly StatementValue[] = [],
): Promise<unknown[][]> {
  if (!database.isShared) {
    return database.readOnThread<unknown[]>({ statement, parameters: parameters.map(bindable) });
  }
  const rows = await database.manager.query<object[]>(statement, [...parameters]);
  return rows.map((row) => Object.values(row) as unknown[]);
}

/** A column of type blob, as bytes. */
export function toBytes(value: unknown): Uint8Array {
  return ArrayBuffer.isView(value) ? (value as Uint8Array) : new Uint8Array(value as ArrayBuffer);
}

/**
 * A column of all rows, as whole numbers. SQLite returns them as one value, because its driver takes a microsecond for
 * each row.
 *
 * @param rows the text after `FROM`, with `?` for each of the parameters
 */
export async function readNumbers(
  database: Database,
  column: string,
  rows: string,
  parameters: readonly StatementValue[],
): Promise<number[]> {
  const select = `SELECT ${column} FROM ${rows}`;
  if (database.isShared) {
    return (await readRows(database, select, parameters)).map(([value]) => Number(value));
  }
  const [row] = await readRows(database, `SELECT json_group_array(${column}) FROM (${select})`, parameters);
  return JSON.parse(row?.[0] as string) as number[];
}

/** Several columns of all rows, as whole numbers: see above. */
export async function readNumberRows(
  database: Database,
  columns: readonly string[],
  rows: string,
  parameters: readonly StatementValue[] = [],
): Promise<number[][]> {
  if (database.isShared) {
    const all = await readRows(database, `SELECT ${columns.join(', ')} FROM ${rows}`, parameters);
    return all.map((cells) => cells.map(Number));
  }
  const select = `SELECT json_group_array(json_array(${columns.join(', ')})) FROM ${rows}`;
  const [row] = await readRows(database, select, parameters);
  return JSON.parse(row?.[0] as string) as number[][];
}

/** The first column of a slow query, whole numbers: see above. */
export async function firstColumn<Entity extends ObjectLiteral>(
  database: Database,
  query: SelectQueryBuilder<Entity>,
): Promise<number[]> {
  if (database.isShared) {
    const rows = await query.getRawMany<Record<string, number | string>>();
    return rows.map((row) => Number(Object.values(row)[0]));
  }
  const [statement, parameters] = query.getQueryAndParameters();
  const rows = await database.readOnThread<[number]>({ statement, parameters: parameters.map(bindable) });
  return rows.map(([value]) => value);
}
