import { InvalidParameterError } from '../../common/errors/validation.errors';
import type { Cursor } from '../../database/statements/list-rows';
import type { CursorQueryDto } from './cursor-query.dto';
import { LARGEST_ROW_ID } from './object-ids';

/** A list in the order of its rows' ids. */
export interface CursorList<Row> {
  /** The id of a row. */
  idOf: (row: Row) => number;
  /** The id of the row that a cursor names; null if it is not in the list. */
  find: (cursor: string) => Promise<number | null>;
  read: (direction: 'ASC' | 'DESC', part: Cursor & { limit: number }) => Promise<{ items: Row[] }>;
}

/** @throws InvalidParameterError on `after` or `before` if it is not in the list */
export async function readCursorPage<Row>(
  { order, after, before, limit }: CursorQueryDto & { limit: number },
  list: CursorList<Row>,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const first = await idOfCursor(list, 'after', after);
  const last = await idOfCursor(list, 'before', before);
  const isBackward = first === undefined && last !== undefined;
  const start = order === 'asc' ? 0 : LARGEST_ROW_ID;
  const place = isBackward ? { before: last } : { after: first ?? start };
  const { items } = await list.read(order === 'asc' ? 'ASC' : 'DESC', { ...place, limit: limit + 1 });
  const isInside = (row: Row): boolean =>
    isBackward || last === undefined || (order === 'asc' ? list.idOf(row) < last : list.idOf(row) > last);
  const inside = items.filter(isInside);
  const rows = isBackward ? inside.slice(-limit) : inside.slice(0, limit);
  return { rows, hasMore: inside.length > limit };
}

async function idOfCursor<Row>(
  list: CursorList<Row>,
  field: 'after' | 'before',
  cursor: string | undefined,
): Promise<number | undefined> {
  const id = cursor === undefined ? undefined : await list.find(cursor);
  if (id === null) {
    throw new InvalidParameterError([{ field, reason: 'not_allowed' }]);
  }
  return id;
}

/** The body of a list. */
export interface CursorPage<Item> {
  object: 'list';
  data: Item[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

export function toCursorPage<Item extends { id: string }>(data: Item[], hasMore: boolean): CursorPage<Item> {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
