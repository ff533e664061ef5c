import type { EntityManager, EntityTarget, ObjectLiteral, QueryResult } from 'typeorm';

/*
 * Statements that every message needs, without a query builder. To build such a statement takes longer than SQLite needs
 * to run it, and the builder writes ids into the text, so no statement can be reused. Call all functions within
 * `Database.write`. The names of tables and columns are our own and are not quoted.
 */

/** Inserts a row and returns its id, if the database gives one. Absent members become NULL. */
export async function insertRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): Promise<number> {
  const { tableName } = manager.dataSource.getMetadata(entity);
  const { columns, values } = toColumns(manager, entity, row);
  const result = await execute(manager, insertInto(tableName, columns), values);
  // SQLite returns the id itself, MySQL an object with the id.
  const raw = result.raw as number | { insertId: number };
  return typeof raw === 'object' ? raw.insertId : raw;
}

/**
 * Changes rows and returns their number.
 *
 * @param condition SQL with `?` for each of the parameters, which must be numbers or texts
 * @param additions numbers to add to columns, by the column's name in the table
 */
export async function updateRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  changes: Partial<Entity>,
  condition: string,
  parameters: (number | string)[],
  additions: Record<string, number> = {},
): Promise<number> {
  const { tableName } = manager.dataSource.getMetadata(entity);
  const { columns, values } = toColumns(manager, entity, changes);
  const assignments = [
    ...columns.map((column) => `${column} = ?`),
    ...Object.keys(additions).map((column) => `${column} = ${column} + ?`),
  ];
  const statement = `UPDATE ${tableName} SET ${assignments.join(', ')} WHERE ${condition}`;
  const { affected } = await execute(manager, statement, [...values, ...Object.values(additions), ...parameters]);
  return affected ?? 0;
}

/** Values of the columns of a table's primary key. */
type Key = Record<string, number | string>;

/**
 * Adds to counters of rows, and makes missing rows. It is one statement and is exact with any number of writers. The
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
  const columns = [...keyColumns, ...Object.keys(increments)];
  const additions = Object.keys(increments).map((column) => `${column} = ${table}.${column} + ?`);
  const statement = `${insertInto(table, columns, rows.length)} ${onConflict(manager, keyColumns)} ${additions.join(', ')}`;
  const amounts = Object.values(increments);
  await execute(manager, statement, [...rows.flatMap((key) => [...Object.values(key), ...amounts]), ...amounts]);
}

/**
 * Adds the sums that a query finds to counters of rows, and makes missing rows.
 *
 * @param counters names of the counters; the query has columns with these names and with the names of the primary key
 */
export async function addSumsToCounters(
  manager: EntityManager,
  table: string,
  keyColumns: string[],
  counters: readonly string[],
  query: { statement: string; parameters: unknown[] },
): Promise<void> {
  const columns = [...keyColumns, ...counters].join(', ');
  // The two kinds of databases have different names for the new values.
  const added = isSqlite(manager) ? 'excluded' : 'added';
  const additions = counters.map((column) => `${column} = ${table}.${column} + ${added}.${column}`);
  await execute(
    manager,
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${query.statement}) AS added
     WHERE TRUE ${onConflict(manager, keyColumns)} ${additions.join(', ')}`,
    query.parameters,
  );
}

/**
 * Changes at most one row by a statement `UPDATE …`, and returns its columns after the change; null when the condition
 * of the statement matched no row.
 */
export async function updateReturning<Row extends object>(
  manager: EntityManager,
  update: { statement: string; parameters: unknown[] },
  row: { table: string; key: Key; columns: (keyof Row & string)[] },
): Promise<Row | null> {
  const columns = row.columns.join(', ');
  if (isSqlite(manager)) {
    const { records } = await execute(manager, `${update.statement} RETURNING ${columns}`, update.parameters);
    return (records[0] as Row | undefined) ?? null;
  }
  const { affected } = await execute(manager, update.statement, update.parameters);
  if (affected !== 1) {
    return null;
  }
  const isRow = Object.keys(row.key).map((column) => `${column} = ?`);
  const select = `SELECT ${columns} FROM ${row.table} WHERE ${isRow.join(' AND ')}`;
  const { records } = await execute(manager, select, Object.values(row.key));
  return (records[0] as Row | undefined) ?? null;
}

/** Runs a statement in the manager's transaction and returns the affected rows, which `manager.query` does not. */
export function execute(manager: EntityManager, statement: string, parameters: unknown[]): Promise<QueryResult> {
  if (!manager.queryRunner) {
    throw new Error('Rows are written inside a unit of work only.');
  }
  return manager.queryRunner.query(statement, parameters, true);
}

export function isSqlite(manager: EntityManager): boolean {
  return manager.dataSource.options.type === 'better-sqlite3';
}

function insertInto(table: string, columns: string[], rows = 1): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`;
}

function onConflict(manager: EntityManager, keyColumns: string[]): string {
  return isSqlite(manager) ? `ON CONFLICT (${keyColumns.join(', ')}) DO UPDATE SET` : 'ON DUPLICATE KEY UPDATE';
}

/** The columns of the present members, and their values as the driver stores them. */
function toColumns<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): { columns: string[]; values: unknown[] } {
  const metadata = manager.dataSource.getMetadata(entity);
  const { driver } = manager.dataSource;
  const columns: string[] = [];
  const values: unknown[] = [];
  for (const column of metadata.columns) {
    const value = row[column.propertyName] as unknown;
    if (value !== undefined) {
      columns.push(column.databaseName);
      values.push(driver.preparePersistentValue(value, column));
    }
  }
  return { columns, values };
}
