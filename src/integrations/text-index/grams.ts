import { foldText } from '../../common/text/folding';

/*
 * The index knows which three code points are adjacent in a text, folded as searches fold it and without any marks.
 * Texts that the search treats as equal are therefore equal here, and some others too. The index finds candidates, and
 * the search itself decides.
 */

/** In Chinese and Japanese, two adjacent characters form a gram too, because words are short. */
const FIRST_IDEOGRAPHIC = 0x2e80;

/** More grams of a search text would hardly exclude another document. */
const MOST_NEEDLE_GRAMS = 8;

/** Reads one text in pieces and reports its grams, as numbers of 31 bits. A gram may be reported several times. */
export class GramReader {
  private before = 0;
  private last = 0;

  constructor(private readonly onGram: (gram: number) => void) {}

  /** @param piece must not begin or end within a surrogate pair */
  read(piece: string): void {
    for (const letter of foldedLetters(piece)) {
      const codePoint = letter.codePointAt(0) ?? 0;
      if (this.last >= FIRST_IDEOGRAPHIC && codePoint >= FIRST_IDEOGRAPHIC) {
        this.onGram(gramOf(0, this.last, codePoint));
      }
      if (this.before !== 0) {
        this.onGram(gramOf(this.before, this.last, codePoint));
      }
      this.before = this.last;
      this.last = codePoint;
    }
  }
}

/** Grams that each document with this text has; none if the text is too short. */
export function gramsOf(text: string): number[] {
  const codePoints = Array.from(foldedLetters(text), (letter) => letter.codePointAt(0) ?? 0);
  const grams = new Set<number>();
  if (codePoints.length === 2 && codePoints.every((codePoint) => codePoint >= FIRST_IDEOGRAPHIC)) {
    grams.add(gramOf(0, codePoints[0] ?? 0, codePoints[1] ?? 0));
  }
  for (let index = 2; index < codePoints.length; index++) {
    grams.add(gramOf(codePoints[index - 2] ?? 0, codePoints[index - 1] ?? 0, codePoints[index] ?? 0));
  }
  const step = Math.max(1, grams.size / MOST_NEEDLE_GRAMS);
  const spread = [...grams];
  return Array.from({ length: Math.ceil(grams.size / step) }, (_gram, index) => spread[Math.floor(index * step)] ?? 0);
}

/**
 * Marks are removed, because a sequence of marks in another order, or cut by the end of a piece, must not change the
 * grams.
 */
function foldedLetters(text: string): string {
  return foldText(text).replace(/\p{M}+/gu, '');
}

/** A hash, so that grams of all scripts are numbers. Two grams with the same hash only cause an extra candidate. */
function gramOf(first: number, second: number, third: number): number {
  const mixed = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) ^ third;
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 1;
}
