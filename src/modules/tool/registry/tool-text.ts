import { INVISIBLE } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';

/** Maximum UTF-8 bytes of a result that a model receives, and that are stored. */
const MOST_SENT = 32 * 1_024;
const MOST_KEPT = 1_024 * 1_024;

const CUT = '[cut]';

/** The part of a result that a model receives, and the part that is stored. */
export interface ToolText {
  sent: string;
  kept: string;
}

/** Removes invisible characters from a result and truncates it for the model and for storage. */
export function toolText(result: string): ToolText {
  // Text far beyond the limit is not processed.
  const clean = beginningOf(result, 2 * MOST_KEPT).replace(INVISIBLE, '');
  return { sent: cutTo(clean, MOST_SENT), kept: cutTo(clean, MOST_KEPT) };
}

function cutTo(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) {
    return text;
  }
  const room = bytes - CUT.length;
  // A character cut in half becomes U+FFFD, which is removed too.
  const beginning = Buffer.from(text)
    .subarray(0, room)
    .toString()
    .replace(/\ufffd$/, '');
  return beginning + CUT;
}
