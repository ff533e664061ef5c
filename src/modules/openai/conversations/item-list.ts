import { ItemNotFoundError } from '../responses/response.errors';
import type { ResponseItem } from '../responses/wire/response-item';
import type { ItemListQueryDto } from './item-list-query.dto';

/** A page of items. */
export interface ItemListDto {
  object: 'list';
  data: ResponseItem[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/**
 * @param items the items of the page, possibly with some of the next page
 * @param hasMore whether there are more items that were not read
 */
export function toItemList(items: ResponseItem[], limit: number, hasMore = false): ItemListDto {
  const data = items.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore || items.length > limit,
  };
}

/**
 * A page of `items`, which are sorted from old to new.
 *
 * @throws ItemNotFoundError for an unknown `after`
 */
export function toItemPage(items: readonly ResponseItem[], { after, limit, order }: ItemListQueryDto): ItemListDto {
  const inOrder = order === 'asc' ? [...items] : items.toReversed();
  return toItemList(after === undefined ? inOrder : behind(inOrder, after), limit);
}

/**
 * The items after `after`.
 *
 * @throws ItemNotFoundError if `after` is not among the items
 */
export function behind(items: ResponseItem[], after: string): ResponseItem[] {
  const place = items.findIndex(({ id }) => id === after);
  if (place < 0) {
    throw new ItemNotFoundError(after, 'after');
  }
  return items.slice(place + 1);
}
