import { characterStart } from '../../../common/text/surrogate-pairs';
import type { TextHeading } from '../reading/document-text';

/** How good a place is for a cut. */
export const enum Cut {
  Anywhere,
  Space,
  Sentence,
  Line,
  BlankLine,
  Heading,
}

/** A piece of a text that is not cut, or only if it has too many tokens. */
export interface TextUnit {
  start: number;
  end: number;
  /** How good a cut at its end is. */
  cut: Cut;
}

/** Ends of sentences, with closing marks and the white space that follows. */
const SENTENCE_END = /[.!?…]+["'”’)\]]*\s+|[。！？；．｡]+["'”’」』）]*\s*/gu;
const SPACE = /\s+/gu;

/** Shorter lines are joined, up to a blank line or a heading: most of the work is done for each unit. */
const SHORT = 40;

/** Marks that belong to the character before them, and the joiner of emoji. */
const CONTINUES = /[\p{M}\p{Emoji_Modifier}\u200d]/u;

/** A run of marks that is longer is no character of any script. */
const LONGEST_CHARACTER = 64;

/**
 * Divides a text into units of at most `length` UTF-16 units: lines, and parts of lines that are longer. Together, the
 * units are the whole text.
 */
export function* textUnits(text: string, headings: readonly TextHeading[], length: number): Generator<TextUnit> {
  let heading = 0;
  for (let start = 0; start < text.length;) {
    while ((headings[heading]?.start ?? Infinity) <= start) {
      heading++;
    }
    const next = headings[heading]?.start ?? Infinity;
    let end = lineEnd(text, start);
    while (end - start < SHORT && end < text.length && end < next && !isBlankLine(text, end)) {
      end = lineEnd(text, end);
    }
    let cut = Cut.Line;
    while (isBlankLine(text, end)) {
      end = lineEnd(text, end);
      cut = Cut.BlankLine;
    }
    cut = next === end ? Cut.Heading : cut;
    yield* partsOf(text, { start, end, cut }, length);
    start = end;
  }
}

/** Where the next line starts. */
function lineEnd(text: string, start: number): number {
  return text.indexOf('\n', start) + 1 || text.length;
}

/** Whether the line at this place has only spaces and tabs. Long ones are read as text. */
function isBlankLine(text: string, start: number): boolean {
  const most = Math.min(text.length, start + 256);
  for (let at = start; at < most; at++) {
    const unit = text[at];
    if (unit === '\n') {
      return true;
    }
    if (unit !== ' ' && unit !== '\t') {
      return false;
    }
  }
  return false;
}

/** Divides a unit into parts of at most `length`. */
export function* partsOf(text: string, unit: TextUnit, length: number): Generator<TextUnit> {
  let { start } = unit;
  while (unit.end - start > length) {
    const part = beginningOf(text, start, start + length);
    yield part;
    start = part.end;
  }
  yield { ...unit, start };
}

/** The best beginning: whole sentences, otherwise words that fill at least half of it. */
function beginningOf(text: string, start: number, limit: number): TextUnit {
  const half = start + Math.max(1, (limit - start) >> 1);
  const window = text.slice(start, limit);
  for (const [cut, pattern, least] of [
    [Cut.Sentence, SENTENCE_END, start + 1],
    [Cut.Space, SPACE, half],
  ] as const) {
    let end = 0;
    for (const { index, 0: match } of window.matchAll(pattern)) {
      end = start + index + match.length;
    }
    if (end >= least) {
      return { start, end, cut };
    }
  }
  return { start, end: wholeCharacters(text, start, limit), cut: Cut.Anywhere };
}

/** The end of the last whole character before `limit`. */
function wholeCharacters(text: string, start: number, limit: number): number {
  let end = characterStart(text, limit);
  const least = Math.max(start, limit - LONGEST_CHARACTER);
  while (end > least && continues(text, end)) {
    end = characterStart(text, end - 1);
  }
  end = end > least ? end : characterStart(text, limit);
  return end > start ? end : Math.min(text.length, start + 2);
}

function continues(text: string, at: number): boolean {
  const next = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return CONTINUES.test(next) || text[at - 1] === '\u200d';
}
