import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { OptionalField } from '../../../common/validation/fields';
import { WholeNumberParameter } from '../../../common/validation/parameters';
import { ItemNotFoundError } from '../responses/response.errors';
import type { ResponseItem } from '../responses/wire/response-item';

/** Which items to list. */
export class ItemListQueryDto {
  /** How many items. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  /** `desc`: the last one first. */
  @IsIn(['asc', 'desc'])
  order: 'asc' | 'desc' = 'desc';

  /** Only items behind the one with this id. */
  @OptionalField()
  @IsString()
  after?: string;
}

/** A page of items. */
export interface ItemListDto {
  object: 'list';
  data: ResponseItem[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/**
 * The page of a list that a query wants.
 *
 * @param items all of them, in the order of the query
 * @throws ItemNotFoundError when `after` is none of them
 */
export function pageOfItems(items: ResponseItem[], { after, limit }: ItemListQueryDto): ItemListDto {
  const place = after === undefined ? -1 : items.findIndex(({ id }) => id === after);
  if (after !== undefined && place < 0) {
    throw new ItemNotFoundError(after, 'after');
  }
  return toItemList(items.slice(place + 1), limit);
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
