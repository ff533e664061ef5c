import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { isMysql, isSqlite } from '../connection/dialect';
import type { Statement, StatementResult } from '../connection/statement-result';
import { tableOf } from './entity-columns';
import { assertWithinWrite, execute, executeTogether, runForRow } from './run-statement';
import { cachedText, insertInto, names, onConflict, presentColumns, storedValues } from './statement-texts';

/*
 * Insert rows, within `Database.write`.
 */

/** Inserts a row and returns its id, if the database generates one. Absent members become NULL. */
export async function insertRow<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): Promise<number> {
  return (await insertAll(manager, entity, [row])).insertId;
}

/**
 * Inserts rows and returns their generated ids, in their order. Absent members become NULL. The ids come from the
 * database, because in a cluster the ids of one statement are not consecutive.
 */
export async function insertRows<Entity extends ObjectLiteral & { id: number }>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  rows: readonly Partial<Entity>[],
): Promise<number[]> {
  if (rows.length < 2 || isMysql(manager)) {
    // MySQL returns only the first id of a statement.
    const ids: number[] = [];
    for (const row of rows) {
      ids.push(await insertRow(manager, entity, row));
    }
    return ids;
  }
  if (isSqlite(manager)) {
    // With one writer, each id is one more than the highest that ever existed.
    const { insertId } = await insertAll(manager, entity, rows);
    return rows.map((_row, index) => insertId - rows.length + 1 + index);
  }
  const { rows: returned } = await insertAll(manager, entity, rows, ' RETURNING id');
  return returned.map(([id]) => Number(id));
}

/**
 * Inserts a row and returns the cells that `returned` selects: SQL with `?` for each of the values, a constant text that
 * names no column of the row.
 */
export async function insertReturning<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
  returned: Statement,
): Promise<unknown[]> {
  assertWithinWrite(manager);
  const statements = insertReturningOf(manager, entity, row, returned);
  const cells =
    statements.length === 1
      ? await runForRow(manager, statements[0].sql, statements[0].values)
      : (await executeTogether(manager, statements)).at(-1)?.rows[0];
  return cells ?? [];
}

/**
 * The insertion as statements for `executeTogether`: one statement if the database supports it, which MySQL does not.
 * The last statement returns the cells.
 */
export function insertReturningOf<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
  returned: Statement,
): [Statement] | [Statement, Statement] {
  if (isMysql(manager)) {
    return [insertOf(manager, entity, [row], ''), { sql: `SELECT ${returned.sql}`, values: returned.values }];
  }
  const { sql, values } = insertOf(manager, entity, [row], ` RETURNING ${returned.sql}`);
  return [{ sql, values: [...values, ...returned.values] }];
}

async function insertAll<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  rows: readonly Partial<Entity>[],
  returning = '',
): Promise<StatementResult> {
  const { sql, values } = insertOf(manager, entity, rows, returning);
  return execute(manager, sql, values);
}

function insertOf<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  rows: readonly Partial<Entity>[],
  returning: string,
): Statement {
  const table = tableOf(manager.dataSource, entity);
  const columns = presentColumns(table, rows);
  const parts = ['insert', table.name, ...names(columns), String(rows.length), returning];
  const sql = cachedText(parts, () => `${insertInto(table.name, names(columns), rows.length)}${returning}`);
  return { sql, values: rows.flatMap((row) => storedValues(columns, row)) };
}

/** Inserts a row and returns it with its id. */
export async function insertEntity<Entity extends ObjectLiteral & { id: number }>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  row: Omit<Entity, 'id'>,
): Promise<Entity> {
  const id = await insertRow(manager, entity, row as Partial<Entity>);
  return { ...row, id } as Entity;
}

/** Inserts any number of rows, by statements of 64, 32 … 1 rows, so that there are few different texts. */
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
    await insertAll(manager, entity, rows.slice(start, start + size));
  }
}

/**
 * Inserts rows, or changes existing ones. All rows have the same members.
 *
 * @param keys the members of a unique index, which identify an existing row
 * @param changed the members to change in an existing row; default: all
 */
export async function upsertRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  rows: readonly Partial<Entity>[],
  keys: readonly (keyof Entity & string)[],
  changed?: readonly (keyof Entity & string)[],
): Promise<void> {
  const table = tableOf(manager.dataSource, entity);
  const columns = presentColumns(table, rows);
  const keyColumns = names(columns.filter(({ member }) => keys.includes(member)));
  const others = columns.filter(({ member }) => changed?.includes(member) ?? !keys.includes(member));
  const conflict = onConflict(manager, keyColumns);
  const parts = ['upsert', table.name, conflict, ...names(columns), '=', ...names(others), String(rows.length)];
  const sql = cachedText(parts, () => {
    const isOnSqlite = isSqlite(manager);
    const changes = names(others).map((name) => `${name} = ${isOnSqlite ? `excluded.${name}` : `VALUES(${name})`}`);
    return `${insertInto(table.name, names(columns), rows.length)} ${conflict} ${changes.join(', ')}`;
  });
  const values = rows.flatMap((row) => storedValues(columns, row));
  await execute(manager, sql, values);
}
