/*
 * All Unicode normalization of the service. `String.prototype.normalize` sorts a sequence of combining marks in
 * quadratic time: 32,768 marks take seconds. A lint rule forbids other files to call it.
 */

/**
 * Marks after which a sequence of them is split, as in Unicode's Stream-Safe Text Format (UAX #15): no writing system
 * has so many. The voicing signs of half-width kana are no marks, but `NFKC` and `foldText` convert them to marks.
 */
const MARKS_BEFORE_CUT = /[\p{M}\uff9e\uff9f]{30}(?=[\p{M}\uff9e\uff9f])/gu;

/** A Unicode normal form of a text, in linear time. A sequence of more than 30 marks is normalized in parts. */
export function unicodeForm(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD' = 'NFC'): string {
  let normal = '';
  let start = 0;
  for (const { index, 0: marks } of text.matchAll(MARKS_BEFORE_CUT)) {
    const end = index + marks.length;
    normal += text.slice(start, end).normalize(form);
    start = end;
  }
  return normal + text.slice(start).normalize(form);
}

/**
 * Marks that a search ignores, for a character class: those of Latin, Greek, Cyrillic, Hebrew and Arabic script, and
 * those that letters of several scripts take. Those of other scripts carry meaning. The stroke of `≠` stays, because
 * `=` is a different sign.
 */
export const DROPPED_MARKS = [
  '\u0300-\u0337\u0339-\u036f\u1ab0-\u1abd\u1abf-\u1aff\u1dc0-\u1df9\u1dfb-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20ef\ufe20-\ufe2f',
  // Cyrillic, Greek and Hebrew.
  '\u0483-\u0489\u2de0-\u2dff\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\u{1e08f}',
  '\u{1d242}-\u{1d244}',
  '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\ufb1e',
  // Arabic.
  '\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0897-\u089f',
  '\u08ca-\u08e1\u08e3-\u08ff\u{102e0}\u{10efa}-\u{10eff}',
].join('');

const DROPPED = new RegExp(`[${DROPPED_MARKS}]+`, 'gu');

/** Removes the ignored marks that follow their letters. Those of composed letters stay. */
export function withoutDroppedMarks(text: string): string {
  return text.replace(DROPPED, '');
}

/** Letters that Unicode has in two widths, without the joiner between them. */
const OTHER_WIDTH =
  /[\u3000\uff01-\uffbe\uffc2-\uffc7\uffca-\uffcf\uffd2-\uffd7\uffda-\uffdc\uffe0-\uffe6\uffe8-\uffee]/g;

/**
 * First and last of a range of letters, and the first of the same letters in ordinary width. `NFKC` maps these
 * differently.
 */
const ROWS_OF_LETTERS = [
  [0xff01, 0xff5e, 0x21],
  [0xffa0, 0xffa0, 0x3164],
  [0xffa1, 0xffbe, 0x3131],
  [0xffc2, 0xffc7, 0x314f],
  [0xffca, 0xffcf, 0x3155],
  [0xffd2, 0xffd7, 0x315b],
  [0xffda, 0xffdc, 0x3161],
  [0xffe3, 0xffe3, 0xaf],
] as const;

/**
 * A text in the form that searches compare: without width, case and the marks above; letters with other marks are
 * decomposed. Each character is folded by itself, so a substring of a text folds to a substring of its folded form.
 */
export function foldText(text: string): string {
  const decomposed = withoutDroppedMarks(unicodeForm(text.replace(OTHER_WIDTH, ordinaryWidth), 'NFD'));
  // Upper case comes in between, because it merges `ß`, `ς` and `ı` with their equivalents.
  return decomposed.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** A code that a person types. Width, case, blanks and hyphens make no difference. */
export function foldCode(text: string): string {
  return foldText(text).replace(/[\s\p{Pd}\u2212]+/gu, '');
}

function ordinaryWidth(letter: string): string {
  const unit = letter.charCodeAt(0);
  const row = ROWS_OF_LETTERS.find(([first, last]) => first <= unit && unit <= last);
  return row === undefined ? letter.normalize('NFKC') : String.fromCharCode(unit - row[0] + row[2]);
}
