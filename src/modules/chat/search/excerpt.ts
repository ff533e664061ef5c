import { textPattern } from '../../../common/text/text-pattern';

/** The most UTF-16 code units of an excerpt, and how many of them precede the match. */
const LENGTH = 200;
const BEFORE = 60;

/**
 * The part of a text that is shown for a match: at most 200 characters, unchanged. It cuts neither a surrogate pair nor
 * a combining sequence. A sequence that is longer than the excerpt is left out.
 *
 * @param text some hundred characters around the first match
 * @param sought the text that was searched for
 */
export function excerptOf(text: string, sought: string): string {
  const match = Math.max(0, text.search(new RegExp(textPattern(sought, '\\p{M}*'), 'u')));
  const characters = new Intl.Segmenter().segment(text);
  const start = startOf(characters, match);
  const next = characters.containing(start + LENGTH);
  return text.slice(start, next === undefined ? undefined : Math.max(start, next.index));
}

/** Where the first whole character begins that is close to the match. */
function startOf(characters: Intl.Segments, match: number): number {
  if (match <= BEFORE) {
    return 0;
  }
  const place = match - BEFORE;
  const first = characters.containing(place);
  if (first === undefined || first.index === place) {
    return place;
  }
  const end = first.index + first.segment.length;
  // The text may begin within its first character.
  return end <= match || first.index === 0 ? end : first.index;
}
