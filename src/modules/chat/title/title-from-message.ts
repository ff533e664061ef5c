import { hasVisible } from '../../../common/text/visible';
import { withoutMarkdown, withoutQuotes } from './plain-text';

/** The maximum length of a title, in Unicode characters. */
const LONGEST_TITLE = 60;

/** A title needs only the start of a message; the rest is not read. */
const BEGINNING = 1_000;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * A title from a message: its first whole words, at most 60 characters, without Markdown. In scripts without spaces
 * (Chinese, Japanese, Thai) a dictionary finds the words. Null if no visible text is left.
 */
export function titleFromMessage(message: string): string | null {
  const beginning = message.slice(0, BEGINNING);
  const plain = onOneLine(withoutMarkdown(beginning));
  // A message may consist only of Markdown characters.
  const text = hasVisible(plain) ? withoutQuotes(plain) : onOneLine(beginning);
  const title = firstWords(text).trim();
  return hasVisible(title) ? title : null;
}

/**
 * Removes control characters, invisible formatting and unpaired surrogates. Joiners stay, because emoji and some
 * scripts need them.
 */
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
    // One character is reserved for the ellipsis.
    if (length >= LONGEST_TITLE) {
      break;
    }
    title += segment;
  }
  return `${/[\p{L}\p{N}]/u.test(title) ? title.replace(/[\s\p{P}]+$/u, '') : firstCharacters(text)}…`;
}

/** For a message that starts with one very long word, possibly after a quotation mark or a dash. */
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

/** In Unicode characters, the unit of the column. */
function lengthOf(text: string): number {
  return [...text].length;
}
