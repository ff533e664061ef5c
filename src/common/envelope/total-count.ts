import type { Response } from 'express';
import type { WholeListQueryDto } from './whole-list-query.dto';

/** A part of a list without an envelope, and the length of the whole list. */
export interface ListPart<Item> {
  items: Item[];
  total: number;
}

/** For Swagger: the header that every list has. */
export const TOTAL_COUNT = {
  'X-Total-Count': { description: 'Number of items in the whole list.', schema: { type: 'integer' } },
} as const;

/** Sends the length of the whole list in a header, and returns the part. */
export function setTotalCount<Item>(response: Response, { items, total }: ListPart<Item>): Item[] {
  response.setHeader('X-Total-Count', total);
  return items;
}

/** A part of a list that is completely in memory. */
export function partOfWhole<Item>(whole: Item[], { limit, offset }: WholeListQueryDto): ListPart<Item> {
  return { items: whole.slice(offset, limit && offset + limit), total: whole.length };
}
