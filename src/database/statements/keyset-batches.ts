import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import { tableOf } from './entity-columns';
import { type FindOptions, findRows } from './find';
import { allOf, rowCondition, type Rows } from './row-condition';

/** Rows per query. With few rows, no request on SQLite waits long. */
const BATCH_ROWS = 200;

export interface KeysetOptions<Entity, Member extends keyof Entity & string> extends Pick<
  FindOptions<Entity, Member>,
  'members' | 'withDeleted'
> {
  /** The member that orders the rows, with unique numbers; usually the id. It must be one of `members`. */
  by?: keyof Entity & string;
  rows?: number;
}

/**
 * All matching rows, in batches. Each batch begins after the last row of the previous one. Other code may write between
 * two batches, and may delete rows of earlier batches. Requests also run between two batches: SQLite answers
 * synchronously, so reading many rows at once would block the event loop.
 *
 * @example
 * for await (const notes of keysetBatches(database.manager, NoteEntity, { userId })) { … }
 */
export async function* keysetBatches<Entity extends ObjectLiteral, Member extends keyof Entity & string>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  { by = 'id', rows = BATCH_ROWS, ...options }: KeysetOptions<Entity, Member> = {},
): AsyncGenerator<Pick<Entity, Member>[]> {
  const matching = rowCondition(manager, entity, where);
  const column = tableOf(manager.dataSource, entity).byMember.get(by)?.name ?? by;
  const order = { [by]: 'ASC' } as FindOptions<Entity>['order'];
  for (let last = Number.MIN_SAFE_INTEGER; ;) {
    const following = allOf(matching, { condition: `${column} > ?`, parameters: [last] });
    const batch = await findRows(manager, entity, following, { ...options, order, limit: rows });
    if (batch.length > 0) {
      yield batch;
    }
    if (batch.length < rows) {
      return;
    }
    await nextTurn();
    last = Number((batch.at(-1) as Entity)[by]);
  }
}
