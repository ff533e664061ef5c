import type { Response } from 'express';
import { exposeHeaders } from '../http/exposed-headers';

/** A part of a list that has no envelope, and the length of the whole. */
export interface ListPart<Item> {
  items: Item[];
  total: number;
}

/** For Swagger: the header of every list. */
export const TOTAL_COUNT = {
  'X-Total-Count': { description: 'Length of the whole list.', schema: { type: 'integer' } },
} as const;

exposeHeaders(Object.keys(TOTAL_COUNT), 40);

/** Sends the length of the whole list in a header, and returns the part. */
export function setTotalCount<Item>(response: Response, { items, total }: ListPart<Item>): Item[] {
  response.setHeader('X-Total-Count', total);
  return items;
}
