/** Where a reader goes on who has the beginning of a reply. */
export interface ReadFrom {
  /** How much of the text the reader has, in UTF-16 units. */
  offset: number;
  /** How many calls and results the reader has; null: those before the offset. */
  news: number | null;
  /** How much of what the model thinks the reader has, in UTF-16 units; absent: all that came before the offset. */
  thought?: number | undefined;
}
