import type { OriginOf } from './own-calls';
import type { FileCitation, ListedToolsItem } from './response-item';
import type { ResponsePart } from './response-part';

/** The effect of one step on the items: it may close one, open another, and append text to one. */
export interface ItemChange {
  /** The index of the item that the step closed; null: none. */
  closed: number | null;
  /** Whether the step created the item `index`. */
  isNew: boolean;
  index: number;
  /** The appended text; empty for the start of a call. */
  delta: string;
  /** Whether the step also closes the item; absent: a later step does. */
  isEnded?: boolean;
  /** The annotation that the step added to the text; absent: none. */
  annotation?: FileCitation;
}

/** Options for the items of a reply. */
export interface OutputView {
  /** Whether reasoning items repeat their text as a summary; absent: yes. */
  hasSummaries?: boolean;
  /** The origin of the tools; absent: all are the client's. */
  originOf?: OriginOf;
  /** Whether searches of documents show their results; absent: no. */
  hasResults?: boolean | undefined;
  /** The tools to list before all other items; absent: none. */
  listed?: readonly ListedToolsItem[];
  /** The range of steps of this response; absent: all steps. */
  part?: Pick<ResponsePart, 'first' | 'last'>;
}
