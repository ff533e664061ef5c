import { INVISIBLE } from '../../../common/text/invisible';
import { beginningOf } from '../../../common/text/surrogate-pairs';

/** UTF-8 bytes of a result that a model is told, and that are kept. */
const MOST_TOLD = 32 * 1_024;
const MOST_KEPT = 1_024 * 1_024;

const CUT = '[cut]';

/** What a model is told of a result, and what is kept of it. */
export interface ToolText {
  told: string;
  kept: string;
}

/** A result without what nobody sees, cut to what is told and kept. */
export function toolText(result: string): ToolText {
  // What is far beyond the limit is not looked at.
  const clean = beginningOf(result, 2 * MOST_KEPT).replace(INVISIBLE, '');
  return { told: cutTo(clean, MOST_TOLD), kept: cutTo(clean, MOST_KEPT) };
}

function cutTo(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) {
    return text;
  }
  const room = bytes - CUT.length;
  // A cut character becomes U+FFFD, which goes too.
  const beginning = Buffer.from(text)
    .subarray(0, room)
    .toString()
    .replace(/\ufffd$/, '');
  return beginning + CUT;
}
