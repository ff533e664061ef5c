import type { EntityManager } from 'typeorm';
import { isSqlite } from '../connection/dialect';
import type { StatementValue } from '../connection/statement-result';
import { execute } from './run-statement';
import { cachedText, insertInto, onConflict } from './statement-texts';

/** Values of the columns of a table's primary key. */
type Key = Record<string, number | string>;

/**
 * Adds to counters of rows, and inserts missing rows. It is one statement and is exact with any number of writers. The
 * table's counters default to 0.
 *
 * @param keys of one row or several; the same is added to each
 */
export async function addToCounters(
  manager: EntityManager,
  table: string,
  keys: Key | Key[],
  increments: Record<string, number>,
): Promise<void> {
  const rows = [keys].flat();
  const keyColumns = Object.keys(rows[0] ?? {});
  const counters = Object.keys(increments);
  const conflict = onConflict(manager, keyColumns);
  const statement = cachedText(['add', table, conflict, ...counters, String(rows.length)], () => {
    const additions = counters.map((column) => `${column} = ${table}.${column} + ?`);
    return `${insertInto(table, [...keyColumns, ...counters], rows.length)} ${conflict} ${additions.join(', ')}`;
  });
  const amounts = Object.values(increments);
  await execute(manager, statement, [...rows.flatMap((key) => [...Object.values(key), ...amounts]), ...amounts]);
}

/**
 * Adds the sums that a query finds to counters of rows, and inserts missing rows. The query may have ids in its text.
 *
 * @param counters names of the counters; the query has columns with these names and with the names of the primary key
 */
export async function addSumsToCounters(
  manager: EntityManager,
  table: string,
  keyColumns: string[],
  counters: readonly string[],
  query: { statement: string; parameters: StatementValue[] },
): Promise<void> {
  const columns = [...keyColumns, ...counters].join(', ');
  // The databases have different names for the new values.
  const added = isSqlite(manager) ? 'excluded' : 'added';
  const additions = counters.map((column) => `${column} = ${table}.${column} + ${added}.${column}`);
  // Not prepared, because prepared statements are cached permanently and the text of the query may differ each time.
  await manager.query(
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${query.statement}) AS added
     WHERE TRUE ${onConflict(manager, keyColumns)} ${additions.join(', ')}`,
    query.parameters,
  );
}
