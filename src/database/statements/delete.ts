import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { StatementValue } from '../connection/statement-result';
import { tableOf } from './entity-columns';
import { rowCondition, type Rows } from './row-condition';
import { execute } from './run-statement';

/**
 * Within `Database.write`: removes rows and returns their number.
 *
 * @param where which rows; or SQL with `?` for each of the parameters, a constant text
 */
export async function deleteRows<Entity extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity> | string,
  parameters: StatementValue[] = [],
): Promise<number> {
  const { name } = tableOf(manager.dataSource, entity);
  const rows = typeof where === 'string' ? { condition: where, parameters } : rowCondition(manager, entity, where);
  return (await execute(manager, `DELETE FROM ${name} WHERE ${rows.condition}`, rows.parameters)).affected;
}
