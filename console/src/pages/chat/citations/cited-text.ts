import type { Citation } from 'chat-service-client';
import { MARK_END, MARK_START } from '../markdown/marks';

/** The characters inside of marks. */
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
  let at = 0;
  let marked = '';
  for (const { index, number } of inside.toSorted((one, other) => one.index - other.index)) {
    marked += text.slice(at, index - from).replace(RESERVED, '');
    marked += `${ADDRESS_AT_END.test(marked) ? ' ' : ''}${MARK_START}${number}${MARK_END}`;
    at = index - from;
  }
  return marked + text.slice(at).replace(RESERVED, '');
}

/** One citation for each passage, by number. */
export function passagesOf(citations: readonly Citation[]): Citation[] {
  const byNumber = new Map(citations.map((citation) => [citation.number, citation]));
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}
