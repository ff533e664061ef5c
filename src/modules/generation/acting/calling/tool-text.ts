import { hasInvisible, INVISIBLE, showInvisible } from '../../../../common/text/invisible';
import { beginningOf } from '../../../../common/text/surrogate-pairs';

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

/** Arguments for people: in their texts, what nobody would see is written out as `\u200b`. */
export const shownArguments = showInvisible;

/** The same for JSON as a model wrote it; the text itself where it is malformed. */
export function shownJson(json: string): unknown {
  try {
    return shownArguments(JSON.parse(json === '' ? '{}' : json));
  } catch {
    return shownArguments(json);
  }
}

/** The same as text: what has no such sign stays as the model wrote it. */
export function shownJsonText(json: string): string {
  // JSON may have them in its own way of writing, which nobody sees either once it is read.
  if (!hasInvisible(json) && !json.includes('\\u')) {
    return json;
  }
  const shown = shownJson(json);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}
