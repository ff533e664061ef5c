import type { ResponseItem } from '../responses/wire/response-item';

/** A page of items. */
export interface ItemListDto {
  object: 'list';
  data: ResponseItem[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/**
 * @param items those of the page, and more when there are more
 * @param hasMore whether there are more that were not read
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
