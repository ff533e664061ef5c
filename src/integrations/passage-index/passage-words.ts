import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { readTerms } from './terms';

/** The searchable texts of a passage. */
export interface PassageText {
  text: string;
  /** The name of its file. */
  filename: string;
  /** The headings above it. */
  heading: string | null;
}

/** The terms of passages, by their positions in the list of passages. */
export interface PassageWords {
  /** The lengths of the passages, in terms. */
  lengths: number[];
  /** Term to position and frequency of each passage that contains it: alternating numbers. */
  terms: Map<string, number[]>;
}

/** A term in a file name or heading counts as two. */
const NAME_WEIGHT = 2;

/** Other work can run after this many characters. */
const PIECE_LENGTH = 32_768;

/** Reads the words of passages. It takes a tenth of a second for a megabyte: call it outside of transactions. */
export async function readWords(passages: readonly PassageText[]): Promise<PassageWords> {
  const words: PassageWords = { lengths: [], terms: new Map() };
  let read = 0;
  for (const [position, { text, filename, heading }] of passages.entries()) {
    words.lengths.push(0);
    addTerms(words, position, text, 1);
    addTerms(words, position, filename, NAME_WEIGHT);
    addTerms(words, position, heading ?? '', NAME_WEIGHT);
    read += text.length;
    if (read >= PIECE_LENGTH) {
      read = 0;
      await turn();
    }
  }
  return words;
}

/**
 * The number under which the index stores a term: 48 bits of its SHA-256. Whole numbers compare in the same way on each
 * database, and two terms of a collection share a number once in 10^9 collections.
 */
export function termKey(term: string): number {
  return hash('sha256', term, 'buffer').readUIntBE(0, 6);
}

function addTerms({ lengths, terms }: PassageWords, position: number, text: string, weight: number): void {
  readTerms(text, (term, counts) => {
    lengths[position]! += counts * weight;
    const postings = terms.get(term);
    if (postings === undefined) {
      terms.set(term, [position, weight]);
    } else if (postings.at(-2) === position) {
      postings[postings.length - 1]! += weight;
    } else {
      postings.push(position, weight);
    }
  });
}
