import type { Citation } from 'chat-service-client';

/**
 * Encloses the number of a citation in Markdown text. Punctuation is outside, because emphasis next to a letter would
 * not end. Characters for private use are inside, and are removed from the text of the model.
 */
const [OPENING, CLOSING] = ['\u2e28\ue000', '\ue001\u2e29'];
const MARK = /\u2e28\ue000(\d+)\ue001\u2e29/;
const RESERVED = /[\ue000\ue001]/g;

/** A mark would become a part of an address in front of it. */
const ADDRESS_AT_END = /(?:https?:\/\/|www\.)\S*$/i;

/**
 * A part of a reply with a mark for each citation.
 *
 * @param from where the part starts in the text of the reply
 */
export function withMarks(text: string, from: number, citations: readonly Citation[]): string {
  const inside = citations.filter(({ index }) => (index > from || from === 0) && index <= from + text.length);
  if (inside.length === 0) return text;
  let at = 0;
  let marked = '';
  for (const { index, number } of inside.toSorted((one, other) => one.index - other.index)) {
    marked += text.slice(at, index - from).replace(RESERVED, '');
    marked += `${ADDRESS_AT_END.test(marked) ? ' ' : ''}${OPENING}${number}${CLOSING}`;
    at = index - from;
  }
  return marked + text.slice(at).replace(RESERVED, '');
}

/** The text without marks, for source code and formulas. */
export function withoutMarks(text: string): string {
  return text.includes(OPENING) ? text.split(MARK).filter(isText).join('') : text;
}

/** The text between marks, and the numbers of the marks. */
export function splitAtMarks(text: string): (string | number)[] {
  if (!text.includes(OPENING)) return [text];
  return text.split(MARK).map((part, index) => (isText(part, index) ? part : Number(part)));
}

function isText(_part: string, index: number): boolean {
  return index % 2 === 0;
}

/** One citation for each passage, by number. */
export function passagesOf(citations: readonly Citation[]): Citation[] {
  const byNumber = new Map(citations.map((citation) => [citation.number, citation]));
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}
