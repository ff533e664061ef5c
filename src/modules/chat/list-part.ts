/** A part of a list, and the length of the whole. */
export interface ListPart<Item> {
  items: Item[];
  total: number;
}
