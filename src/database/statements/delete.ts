import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { Statement, StatementValue } from '../connection/statement-result';
import { tableOf } from './entity-columns';
import { rowCondition, type Rows } from './row-condition';
import { execute } from './run-statement';

/**
 * Within `Database.write`: removes rows and returns their number.
 *
 * @param where condition by members; or SQL with `?` for each of the parameters, a constant text
 */
export async function deleteRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity> | string,
  parameters: StatementValue[] = [],
): Promise<number> {
  const { sql, values } = deletionOf(manager, entity, where, parameters);
  return (await execute(manager, sql, values)).affected;
}

/** The deletion as a statement for `executeTogether`. */
export function deletionOf<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity> | string,
  parameters: StatementValue[] = [],
): Statement {
  const { name } = tableOf(manager.dataSource, entity);
  const rows = typeof where === 'string' ? { condition: where, parameters } : rowCondition(manager, entity, where);
  return { sql: `DELETE FROM ${name} WHERE ${rows.condition}`, values: rows.parameters };
}
