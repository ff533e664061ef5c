import { randomInt } from 'node:crypto';

/** In texts longer than this, in UTF-16 units, only a part of each stretch is read. */
const LONG = 131_072;
const STRETCH = 8_192;
const PART = 1_024;

/** The random position of the part in its stretch, so that no text can be crafted with lighter parts there. */
const PART_START = randomInt(STRETCH - PART);

/** A longer ASCII word is a key or encoded data, which needs more tokens. */
const ORDINARY_WORD_LENGTH = 14;

const enum Kind {
  Lower,
  Upper,
  Digit,
  Other,
}

/**
 * Estimates the tokens of a text in one cheap pass, rather too high than too low. It decides what fits into a context:
 * a high estimate only drops an old message, a low one makes the provider refuse. The result is 1 to 3 times the
 * o200k_base count for text of any script, code and encoded data, and 4 times that for emoji. Only random letters in
 * short words may be underestimated.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length > LONG ? sampleTokens(text) : tokensIn(text, 0, text.length));
}

function sampleTokens(text: string): number {
  let tokens = 0;
  let length = 0;
  for (let start = PART_START; start < text.length; start += STRETCH) {
    const end = Math.min(start + PART, text.length);
    tokens += tokensIn(text, start, end);
    length += end - start;
  }
  return (tokens * text.length) / length;
}

function tokensIn(text: string, start: number, end: number): number {
  let tokens = 0;
  let wordLength = 0;
  let previous = Kind.Other;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    const kind = kindOf(unit);
    wordLength = kind === Kind.Other ? 0 : wordLength + 1;
    tokens += kind === Kind.Other ? weightOf(unit) : wordWeight(kind, previous, wordLength);
    previous = kind;
  }
  return tokens;
}

function kindOf(unit: number): Kind {
  if (unit >= 0x61 && unit <= 0x7a) {
    return Kind.Lower;
  }
  if (unit >= 0x41 && unit <= 0x5a) {
    return Kind.Upper;
  }
  return unit >= 0x30 && unit <= 0x39 ? Kind.Digit : Kind.Other;
}

/** A token never spans a change between letters and digits, nor from a lower-case to an upper-case letter. */
function wordWeight(kind: Kind, previous: Kind, wordLength: number): number {
  const isBreak = kind !== previous && previous !== Kind.Other && !(kind === Kind.Lower && previous === Kind.Upper);
  if (isBreak) {
    return 1.1;
  }
  return wordLength > ORDINARY_WORD_LENGTH ? 0.75 : 0.35;
}

function weightOf(unit: number): number {
  if (unit === 0x20) {
    return 0.3;
  }
  if (unit < 0x80) {
    return 0.9;
  }
  // Latin with marks and Greek; then Cyrillic, Hebrew and Arabic; then the common scripts of India and Thailand.
  if (unit < 0x0400) {
    return 1;
  }
  if (unit < 0x0800) {
    return 0.7;
  }
  if (unit >= 0x0900 && unit <= 0x0e7f) {
    return 0.9;
  }
  if (unit >= 0xd800 && unit <= 0xdfff) {
    return 2;
  }
  const isEastAsian = (unit >= 0x3000 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3) || unit >= 0xff00;
  // All other scripts are rare in the tokenizer's training: up to one token for each of their three bytes.
  return isEastAsian ? 1.3 : 2.5;
}
