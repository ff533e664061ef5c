import { IsInt, Max, Min } from 'class-validator';
import { WholeNumberParameter } from '../validation/parameters';

/** The page of an enveloped list. */
export class PageQueryDto {
  /** Page number, from 1. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  page: number = 1;

  /** Elements per page. */
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  size: number = 20;
}

/** Position of a page in its list. */
export class PaginationDto {
  /** Number of this page, from 1. @example 1 */
  page: number;

  /** Elements of a full page. @example 20 */
  size: number;

  /** Elements in all pages. @example 42 */
  total: number;

  /** Number of pages. @example 3 */
  pages: number;
}

/** One page of a list (specification §2.7). */
export interface Page<Item> {
  items: Item[];
  pagination: PaginationDto;
}

export function toPage<Item>(items: Item[], total: number, query: PageQueryDto): Page<Item> {
  return { items, pagination: { page: query.page, size: query.size, total, pages: Math.ceil(total / query.size) } };
}

/** All of a list that is always short, as one page. */
export function onePage<Item>(items: Item[]): Page<Item> {
  return { items, pagination: { page: 1, size: items.length, total: items.length, pages: Math.min(1, items.length) } };
}

/** The position of the page in the whole list. */
export function partOf({ page, size }: PageQueryDto): { offset: number; limit: number } {
  return { offset: (page - 1) * size, limit: size };
}
