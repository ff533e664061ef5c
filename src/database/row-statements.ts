import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { type EntityColumn, type EntityTable, tableOf } from './entity-columns';
import { isSqlite, runForRow, runStatement, type StatementResult, type StatementValue } from './statements';

// Released migrations import it from here.
export { isSqlite };

/*
 * Statements that change rows, without a query builder: to build such a statement takes longer than SQLite needs to run it.
 * Their texts are made once for each set of columns. Call all functions within `Database.write`.
 */

/** Inserts a row and returns its id, if the database gives one. Absent members become NULL. */
export async function insertRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): Promise<number> {
  const [id] = await insertRows(manager, entity, [row]);
  return id as number;
}

/**
 * Inserts rows by one statement and returns their ids, which the database gives, in their order. Absent members become NULL.
 */
export async function insertRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  rows: readonly Partial<Entity>[],
): Promise<number[]> {
  const table = tableOf(manager.dataSource, entity);
  const columns = presentColumns(table, rows);
  const statement = cachedText(['insert', table.name, ...names(columns), String(rows.length)], () =>
    insertInto(table.name, names(columns), rows.length),
  );
  const values = rows.flatMap((row) => storedValues(columns, row));
  const { insertId } = await execute(manager, statement, values);
  // The ids of one statement follow each other: SQLite has one writer, and InnoDB reserves them together.
  const first = isSqlite(manager) ? insertId - rows.length + 1 : insertId;
  return rows.map((_row, index) => first + index);
}

/** Inserts any number of rows, by statements of 64, 32 … 1 of them, so that there are few texts. */
export async function insertBatch<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  rows: readonly Partial<Entity>[],
): Promise<void> {
  let size = 64;
  for (let start = 0; start < rows.length; start += size) {
    while (size > rows.length - start) {
      size /= 2;
    }
    await insertRows(manager, entity, rows.slice(start, start + size));
  }
}

/**
 * SQL for `id IN (…)` and its parameters. The last id is repeated until their number is a power of two, so that there are
 * few texts.
 */
export function idIn(ids: readonly number[], column = 'id'): { condition: string; parameters: number[] } {
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  const parameters = Array.from({ length }, (_element, index) => ids[Math.min(index, ids.length - 1)] as number);
  return { condition: `${column} IN (${parameters.map(() => '?').join(', ')})`, parameters };
}

/**
 * Changes rows and returns their number.
 *
 * @param condition SQL with `?` for each of the parameters; a constant text
 * @param additions numbers to add to columns, by the column's name in the table
 */
export async function updateRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  changes: Partial<Entity>,
  condition: string,
  parameters: StatementValue[],
  additions: Record<string, number> = {},
): Promise<number> {
  const table = tableOf(manager.dataSource, entity);
  const columns = presentColumns(table, [changes]);
  const added = Object.keys(additions);
  const statement = cachedText(['update', table.name, ...names(columns), '+', ...added, condition], () => {
    const assignments = [
      ...columns.map(({ name }) => `${name} = ?`),
      ...added.map((column) => `${column} = ${column} + ?`),
    ];
    return `UPDATE ${table.name} SET ${assignments.join(', ')} WHERE ${condition}`;
  });
  const values = [...storedValues(columns, changes), ...Object.values(additions), ...parameters];
  return (await execute(manager, statement, values)).affected;
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
 * Adds the sums that a query finds to counters of rows, and makes missing rows. The query may have ids in its text.
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
  // The two kinds of databases have different names for the new values.
  const added = isSqlite(manager) ? 'excluded' : 'added';
  const additions = counters.map((column) => `${column} = ${table}.${column} + ${added}.${column}`);
  // Not among the prepared statements, which are kept for ever: the text of the query may differ each time.
  await manager.query(
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
  update: { statement: string; parameters: StatementValue[] },
  row: { table: string; key: Key; columns: (keyof Row & string)[] },
): Promise<Row | null> {
  const columns = row.columns.join(', ');
  if (isSqlite(manager)) {
    const statement = cachedText([update.statement, columns], () => `${update.statement} RETURNING ${columns}`);
    assertWithinWrite(manager);
    return toRow(row.columns, await runForRow(manager, statement, update.parameters));
  }
  const { affected } = await execute(manager, update.statement, update.parameters);
  if (affected !== 1) {
    return null;
  }
  const select = cachedText(['select', columns, row.table, ...Object.keys(row.key)], () => {
    const isRow = Object.keys(row.key).map((column) => `${column} = ?`);
    return `SELECT ${columns} FROM ${row.table} WHERE ${isRow.join(' AND ')}`;
  });
  return toRow(row.columns, await runForRow(manager, select, Object.values(row.key)));
}

/** Runs a statement in the manager's transaction. Its text must be constant. */
export function execute(
  manager: EntityManager,
  statement: string,
  parameters: readonly StatementValue[],
): Promise<StatementResult> {
  assertWithinWrite(manager);
  return runStatement(manager, statement, parameters);
}

function assertWithinWrite(manager: EntityManager): void {
  if (!manager.queryRunner) {
    throw new Error('Rows are written inside a unit of work only.');
  }
}

const texts = new Map<string, string>();

/** The text of a statement, made once. The parts say all that it depends on. */
function cachedText(parts: readonly string[], make: () => string): string {
  const key = parts.join(' ');
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    texts.set(key, text);
  }
  return text;
}

function insertInto(table: string, columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`;
}

function onConflict(manager: EntityManager, keyColumns: string[]): string {
  return isSqlite(manager) ? `ON CONFLICT (${keyColumns.join(', ')}) DO UPDATE SET` : 'ON DUPLICATE KEY UPDATE';
}

/** The columns of the members that a row has. */
function presentColumns({ columns }: EntityTable, rows: readonly ObjectLiteral[]): EntityColumn[] {
  return columns.filter(({ member }) => rows.some((row) => row[member] !== undefined));
}

function storedValues(columns: readonly EntityColumn[], row: ObjectLiteral): StatementValue[] {
  return columns.map(({ member, toStored }) => (row[member] === undefined ? null : toStored(row[member])));
}

function names(columns: readonly EntityColumn[]): string[] {
  return columns.map(({ name }) => name);
}

function toRow<Row extends object>(columns: (keyof Row & string)[], cells: unknown[] | undefined): Row | null {
  return cells === undefined
    ? null
    : (Object.fromEntries(columns.map((column, index) => [column, cells[index]])) as Row);
}
