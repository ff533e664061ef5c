import { hasVisible } from '../../../common/text/visible';
import { withoutMarkdown, withoutQuotes } from './plain-text';

/** Longest title made from a message, in characters as people count them. */
const LONGEST_TITLE = 60;

/** A title needs only the beginning of a message; the rest is not read. */
const BEGINNING = 1_000;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * A title from a message: its first words, at most 60 characters, no word cut, without Markdown. In scripts without spaces
 * (Chinese, Japanese, Thai) a dictionary finds the words. Null when nothing visible is left.
 */
export function titleFromMessage(message: string): string | null {
  const beginning = message.slice(0, BEGINNING);
  const plain = onOneLine(withoutMarkdown(beginning));
  // A message may be nothing but such signs.
  const text = hasVisible(plain) ? withoutQuotes(plain) : onOneLine(beginning);
  const title = firstWords(text).trim();
  return hasVisible(title) ? title : null;
}

/** Leaves out controls, invisible formatting and half surrogate pairs. Joiners stay: emoji and some scripts need them. */
function onOneLine(text: string): string {
  return text
    .replace(/[^\P{C}\u200c\u200d\s]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function firstWords(text: string): string {
  if (lengthOf(text) <= LONGEST_TITLE) {
    return text;
  }
  let title = '';
  let length = 0;
  for (const { segment } of words.segment(text)) {
    length += lengthOf(segment);
    // One character is kept for the ellipsis.
    if (length >= LONGEST_TITLE) {
      break;
    }
    title += segment;
  }
  return `${/[\p{L}\p{N}]/u.test(title) ? title.replace(/[\s\p{P}]+$/u, '') : firstCharacters(text)}…`;
}

/** For a message that begins with one very long word, perhaps behind a quotation mark or a dash. */
function firstCharacters(text: string): string {
  let beginning = '';
  let length = 0;
  for (const { segment } of characters.segment(text)) {
    length += [...segment].length;
    if (length >= LONGEST_TITLE) {
      break;
    }
    beginning += segment;
  }
  return beginning;
}

/** In Unicode characters, as the column counts them. */
function lengthOf(text: string): number {
  return [...text].length;
}
