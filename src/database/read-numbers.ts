import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { bindable } from './bind-safely';
import type { Database } from './database';

/**
 * Many rows of whole numbers, each as an array. On SQLite they come as one value from the thread that reads apart, because
 * the driver takes a microsecond for each value.
 *
 * @param rows what stands after `FROM`, with `?` for each of the parameters
 */
export async function readNumbers(
  database: Database,
  columns: string[],
  rows: string,
  parameters: (number | string)[],
): Promise<number[][]> {
  const select = `SELECT ${columns.join(', ')} FROM ${rows}`;
  if (database.isShared) {
    const found = await database.manager.query<Record<string, number>[]>(select, parameters);
    return found.map((row) => Object.values(row).map(Number));
  }
  const statement = `SELECT json_group_array(json_array(${columns.join(', ')})) FROM (${select})`;
  const [row] = await database.readApart<[string]>({ statement, parameters });
  return JSON.parse(row?.[0] ?? '[]') as number[][];
}

/** The first column of a query that may take long, whole numbers: on SQLite it is read apart too. */
export async function firstColumn<Entity extends ObjectLiteral>(
  database: Database,
  query: SelectQueryBuilder<Entity>,
): Promise<number[]> {
  if (database.isShared) {
    const rows = await query.getRawMany<Record<string, number | string>>();
    return rows.map((row) => Number(Object.values(row)[0]));
  }
  const [statement, parameters] = query.getQueryAndParameters();
  const rows = await database.readApart<[number]>({ statement, parameters: parameters.map(bindable) });
  return rows.map(([value]) => value);
}
