import type { EntityManager } from 'typeorm';
import { execute } from '../../../database/statements/run-statement';

/**
 * Sets the parents of messages in one statement, for at most a few hundred messages. Call it within `Database.write`.
 *
 * @param parents parent IDs by message ID
 */
export async function setParents(
  manager: EntityManager,
  chatId: number,
  parents: ReadonlyMap<number, number>,
): Promise<void> {
  if (parents.size === 0) {
    return;
  }
  const cases = [...parents].map(() => 'WHEN ? THEN ?').join(' ');
  const places = [...parents].map(() => '?').join(', ');
  await execute(
    manager,
    `UPDATE chat_messages SET parent_id = CASE id ${cases} END WHERE chat_id = ? AND id IN (${places})`,
    [...[...parents].flat(), chatId, ...parents.keys()],
  );
}
