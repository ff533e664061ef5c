import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { StatementValue } from '../connection/statement-result';
import { tableOf } from './entity-columns';
import { rowCondition, type Rows } from './row-condition';
import { execute } from './run-statement';
import { cachedText, names, presentColumns, storedValues } from './statement-texts';

/*
 * Change rows, within `Database.write`.
 */

/**
 * Changes rows and returns their number.
 *
 * @param where condition by members; or SQL with `?` for each of the parameters, a constant text
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
