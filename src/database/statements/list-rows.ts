import {
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  LessThan,
  MoreThan,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import { CSV_BATCH } from '../../common/csv/csv';
import type { Order } from '../../common/envelope/sort';
import type { ListPart } from '../../common/envelope/total-count';
import { countRows, findPage, findRows } from './find';
import { allOf, rowCondition, type Rows } from './row-condition';

/*
 * Lists of rows with an id: a page in any order, or all of them for a file.
 */

/**
 * A part of the rows that a query finds, and their total number. Ties are sorted by id, in the same direction, so that
 * no row is on two pages.
 *
 * @param columns the property of the row for each field of the order
 */
export async function sortedRows<Row extends ObjectLiteral, Field extends string>(
  query: SelectQueryBuilder<Row>,
  { by, direction }: Order<Field>,
  columns: Record<Field, keyof Row & string>,
  part: { offset: number; limit: number },
): Promise<ListPart<Row>> {
  const [items, total] = await query
    .orderBy(`${query.alias}.${columns[by]}`, direction)
    .addOrderBy(`${query.alias}.id`, direction)
    .offset(part.offset)
    .limit(part.limit)
    .getManyAndCount();
  return { items, total };
}

/**
 * The next rows for a file, the newest first. Rows that are added between two calls cause neither duplicates nor gaps.
 *
 * @param lastId the last row of the previous call; absent: the first rows
 */
export function nextRows<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  lastId: number | undefined,
): Promise<Row[]> {
  const id = `${query.alias}.id`;
  if (lastId !== undefined) {
    query.andWhere(`${id} < :lastId`, { lastId });
  }
  return query.orderBy(id, 'DESC').limit(CSV_BATCH).getMany();
}

/** Like `sortedRows`, for the rows of one table. */
export function sortedPage<Entity extends ObjectLiteral, Field extends string>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  { by, direction }: Order<Field>,
  columns: Record<Field, keyof Entity & string>,
  part: { offset: number; limit: number },
): Promise<ListPart<Entity>> {
  const order = { [columns[by]]: direction, id: direction } as never;
  return findPage(manager, entity, where, { order, ...part }) as Promise<ListPart<Entity>>;
}

/** The row after which a page begins, or before which it ends. */
export interface Cursor {
  after?: number;
  before?: number;
}

/**
 * The page that begins after a row, or ends before it, in the order of the ids. Rows that are added or removed between
 * two pages cause neither duplicates nor gaps. The total is that of the whole list.
 */
export async function adjacentPage<Entity extends ObjectLiteral & { id: number }>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  direction: 'ASC' | 'DESC',
  { after, before, limit }: Cursor & { limit: number },
): Promise<ListPart<Entity>> {
  const isBackward = after === undefined;
  const id = (direction === 'ASC') === isBackward ? LessThan(before ?? after) : MoreThan(after ?? before);
  const condition = allOf(
    rowCondition(manager, entity, where),
    rowCondition(manager, entity, { id } as FindOptionsWhere<Entity>),
  );
  const read = isBackward ? OPPOSITE[direction] : direction;
  const items = await findRows(manager, entity, condition, { order: { id: read } as never, limit });
  const total = await countRows(manager, entity, where);
  return { items: (isBackward ? items.toReversed() : items) as Entity[], total };
}

const OPPOSITE = { ASC: 'DESC', DESC: 'ASC' } as const;

/** Like `nextRows`, for the rows of one table, in either order of their ids. */
export function nextOf<Entity extends ObjectLiteral & { id: number }>(
  manager: EntityManager,
  entity: EntityTarget<Entity>,
  where: Rows<Entity>,
  lastId: number | undefined,
  direction: 'ASC' | 'DESC' = 'DESC',
): Promise<Entity[]> {
  const conditions = [rowCondition(manager, entity, where)];
  if (lastId !== undefined) {
    const id = direction === 'DESC' ? LessThan(lastId) : MoreThan(lastId);
    conditions.push(rowCondition(manager, entity, { id } as FindOptionsWhere<Entity>));
  }
  const options = { order: { id: direction } as never, limit: CSV_BATCH };
  return findRows(manager, entity, allOf(...conditions), options) as Promise<Entity[]>;
}
