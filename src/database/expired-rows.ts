import { type EntityTarget, type FindOptionsWhere, In } from 'typeorm';
import type { Database } from './database';
import { deleteRows } from './statements/delete';
import { findRows } from './statements/find';

/** Rows removed in one transaction. */
const BATCH = 200;

/**
 * Removes matching rows, such as expired ones. It removes one batch, so that requests can run in between.
 *
 * @returns whether there may be more
 */
export async function removeBatch<Row extends { id: number }>(
  database: Database,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
): Promise<boolean> {
  const rows = await findRows(database.manager, entity, where, { members: ['id'], limit: BATCH });
  if (rows.length > 0) {
    // The condition again, because a row may be in use since it was read.
    const condition = { ...where, id: In(rows.map(({ id }) => id)) };
    await database.write((manager) => deleteRows(manager, entity, condition));
  }
  return rows.length === BATCH;
}
