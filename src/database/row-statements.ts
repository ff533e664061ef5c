import type { EntityManager, EntityTarget, ObjectLiteral, QueryResult } from 'typeorm';

/*
 * Statements that every message needs, written without a query builder: it takes longer to write such a statement than
 * SQLite takes to run it, and writes ids into the text, so that no statement is ever prepared for the next time. All run
 * within `Database.write`. Names of tables and columns are ours and are not quoted.
 */

/** Inserts a row; answers its id where the database gives one. Members that are absent become NULL. */
export async function insertRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): Promise<number> {
  const { tableName } = manager.dataSource.getMetadata(entity);
  const { columns, values } = toColumns(manager, entity, row);
  const result = await execute(manager, insertInto(tableName, columns), values);
  // SQLite answers the id itself, MySQL an object with it.
  const raw = result.raw as number | { insertId: number };
  return typeof raw === 'object' ? raw.insertId : raw;
}

/**
 * Changes rows; answers how many.
 *
 * @param condition SQL with `?` for each of the parameters, which must be numbers or texts
 * @param additions what is added to columns, by their name in the table
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

/**
 * Adds to counters of one row, which is made when there is none: one statement, exact under any number of writers. The
 * table's counters default to 0.
 *
 * @param key values of the columns of the table's primary key
 */
export async function addToCounters(
  manager: EntityManager,
  table: string,
  key: Record<string, number | string>,
  increments: Record<string, number>,
): Promise<void> {
  const columns = [...Object.keys(key), ...Object.keys(increments)];
  const additions = Object.keys(increments).map((column) => `${column} = ${table}.${column} + ?`);
  const onConflict = isSqlite(manager)
    ? `ON CONFLICT (${Object.keys(key).join(', ')}) DO UPDATE SET`
    : 'ON DUPLICATE KEY UPDATE';
  await execute(manager, `${insertInto(table, columns)} ${onConflict} ${additions.join(', ')}`, [
    ...Object.values(key),
    ...Object.values(increments),
    ...Object.values(increments),
  ]);
}

/** Runs a statement in the manager's transaction and tells the affected rows, which `manager.query` does not. */
export function execute(manager: EntityManager, statement: string, parameters: unknown[]): Promise<QueryResult> {
  if (!manager.queryRunner) {
    throw new Error('Rows are written inside a unit of work only.');
  }
  return manager.queryRunner.query(statement, parameters, true);
}

export function isSqlite(manager: EntityManager): boolean {
  return manager.dataSource.options.type === 'better-sqlite3';
}

function insertInto(table: string, columns: string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** The columns of the members that are there, and their values as the driver stores them. */
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
