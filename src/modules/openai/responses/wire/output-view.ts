import type { OriginOf } from './own-calls';
import type { ListedToolsItem } from './response-item';
import type { ResponsePart } from './response-part';

/** What one step did to the items: it may close one, open another, and it adds a piece to one. */
export interface ItemChange {
  /** Index of the item that the step ended; null: none. */
  closed: number | null;
  /** Whether the step began the item `index`. */
  isNew: boolean;
  index: number;
  /** What was added; empty for the beginning of a call. */
  delta: string;
  /** Whether the item has ended with it; absent: another step ends it. */
  isEnded?: boolean;
}

/** How the items of a reply are shown. */
export interface OutputView {
  /** Whether reasoning has its text as a summary too; absent: it has. */
  hasSummaries?: boolean;
  /** Whose tools are called; absent: the caller's. */
  originOf?: OriginOf;
  /** What it lists of the tools before everything else; absent: nothing. */
  listed?: readonly ListedToolsItem[];
  /** Which steps make this response; absent: all of them. */
  part?: Pick<ResponsePart, 'first' | 'last'>;
}
