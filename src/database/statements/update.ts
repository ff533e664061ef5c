import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { isSqlite } from '../connection/dialect';
import type { StatementValue } from '../connection/statement-result';
import { tableOf } from './entity-columns';
import { rowCondition, type Rows } from './row-condition';
import { assertWithinWrite, execute, runForRow } from './run-statement';
import { cachedText, names, presentColumns, storedValues } from './statement-texts';

/*
 * Change rows, within `Database.write`.
 */

/**
 * Changes rows and returns their number.
 *
 * @param where which rows; or SQL with `?` for each of the parameters, a constant text
 * @param additions numbers to add to columns, by the column's name in the table
 */
export async function updateRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  changes: Partial<Entity>,
  where: Rows<Entity> | string,
  parameters: StatementValue[] = [],
  additions: Record<string, number> = {},
): Promise<number> {
  const table = tableOf(manager.dataSource, entity);
  const columns = presentColumns(table, [changes]);
  const added = Object.keys(additions);
  const rows = typeof where === 'string' ? { condition: where, parameters } : rowCondition(manager, entity, where);
  const statement = cachedText(['update', table.name, ...names(columns), '+', ...added, rows.condition], () => {
    const assignments = [
      ...columns.map(({ name }) => `${name} = ?`),
      ...added.map((column) => `${column} = ${column} + ?`),
    ];
    return `UPDATE ${table.name} SET ${assignments.join(', ')} WHERE ${rows.condition}`;
  });
  const values = [...storedValues(columns, changes), ...Object.values(additions), ...rows.parameters];
  return (await execute(manager, statement, values)).affected;
}

/**
 * Changes at most one row by a statement `UPDATE …`, and returns its columns after the change; null when the condition
 * of the statement matched no row.
 */
export async function updateReturning<Row extends object>(
  manager: EntityManager,
  update: { statement: string; parameters: StatementValue[] },
  row: { table: string; key: Record<string, number | string>; columns: (keyof Row & string)[] },
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

function toRow<Row extends object>(columns: (keyof Row & string)[], cells: unknown[] | undefined): Row | null {
  return cells === undefined
    ? null
    : (Object.fromEntries(columns.map((column, index) => [column, cells[index]])) as Row);
}
