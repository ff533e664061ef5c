import { foldText, unicodeForm, withoutDroppedMarks } from './folding';

/**
 * Most letters that a pattern compares: MariaDB compiles patterns of at most 64 kB. Only texts that get longer by
 * folding have more, such as 101 times `ß`.
 */
const MOST_LETTERS = 200;

/** Longest run of letters that may be written in several ways, such as `ssss` as `ßß` and `sßs`. */
const LONGEST_RUN = 8;

/** Letters that take marks which a search ignores. */
const TAKES_MARKS = /[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Hebrew}\p{scx=Arabic}\p{scx=Common}]/u;

const KANA = /[\p{scx=Hiragana}\p{scx=Katakana}]$/u;

/** After final kana: `カ` must not find a `ガ` that is stored as two characters. */
const NO_VOICING_SIGN = '(?:[^\u3099\u309a\uff9e\uff9f]|$)';

/**
 * A regular expression that finds a text in others as if `foldText` had folded both. It is the same for every engine
 * (PCRE of MariaDB, ICU of MySQL, JavaScript with the flag `u`), so it uses only classes, groups, `|`, `*` and `$`. The
 * alternatives begin with different characters, and a mark is no letter, so no engine backtracks far.
 *
 * @param marks a pattern of what may follow a letter; empty if the searched texts are `withoutDroppedMarks`
 */
export function textPattern(text: string, marks = ''): string {
  const letters = Array.from(unicodeForm(foldText(text)));
  const parts: string[] = [];
  let spare = MOST_LETTERS - letters.length;
  let index = 0;
  while (index < Math.min(letters.length, MOST_LETTERS)) {
    const run = runAt(letters, index);
    const { pattern, size } = spellings(run, marks);
    if (size - run.length <= spare) {
      spare -= size - run.length;
      parts.push(pattern);
      index += run.length;
    } else {
      const part = partAt(letters, index);
      parts.push(shortSpellings(part, marks));
      index += part.length;
    }
  }
  // Every text contains the empty text. ICU refuses an empty pattern.
  return parts.length === 0 ? '^' : parts.join('') + (KANA.test(letters[index - 1] ?? '') ? NO_VOICING_SIGN : '');
}

/** A function that tests whether a text in memory contains this text. `matchesText` does the same in databases. */
export function textMatcher(text: string): (candidate: string) => boolean {
  const pattern = new RegExp(textPattern(text.trim()), 'u');
  return (candidate) => pattern.test(withoutDroppedMarks(candidate));
}

/** Letters from this place on, each of which one letter may represent together with the previous or the next one. */
function runAt(letters: readonly string[], index: number): string[] {
  let end = index + 1;
  for (let place = index; place < end; place++) {
    end = Math.max(end, ...endsOfParts(letters, place));
  }
  return letters.slice(index, Math.min(end, index + LONGEST_RUN));
}

/** The ends of the groups of letters at this place that one letter may represent. */
function endsOfParts(letters: readonly string[], index: number): number[] {
  const ends = Array.from({ length: LONGEST_FOLDED - 1 }, (_end, more) => index + 2 + more);
  return ends.filter((end) => end <= letters.length && foldedVariants(letters.slice(index, end).join('')) !== '');
}

interface Spellings {
  pattern: string;
  /** How many letters the pattern compares. */
  size: number;
}

/** All ways to write the letters. */
function spellings(letters: readonly string[], marks: string): Spellings {
  const end: Spellings = { pattern: '', size: 0 };
  /** The ways to write the letters from an index on. */
  const rests = [...letters.map(() => end), end];
  for (let index = letters.length - 1; index >= 0; index--) {
    const ways = [index + 1, ...endsOfParts(letters, index)].map((next) => ({
      pattern: spelling(letters.slice(index, next), marks) + rests[next]!.pattern,
      size: rests[next]!.size + 1,
    }));
    const patterns = ways.map(({ pattern }) => pattern).join('|');
    rests[index] = {
      pattern: ways.length === 1 ? patterns : `(?:${patterns})`,
      size: ways.reduce((sum, { size }) => sum + size, 0),
    };
  }
  return rests[0]!;
}

/** Only the letters separately, or one letter for all of them. */
function shortSpellings(part: readonly string[], marks: string): string {
  const separately = part.map((letter) => spelling([letter], marks)).join('');
  return part.length === 1 ? separately : `(?:${separately}|${spelling(part, marks)})`;
}

/** One letter that represents the letters. */
function spelling(part: readonly string[], marks: string): string {
  const [first = '', ...others] = part;
  const spelled = others.length === 0 ? letterPattern(first) : oneOf(foldedVariants(part.join('')));
  return spelled + (TAKES_MARKS.test(first) ? marks : '');
}

/** The letters at this place that one letter may represent, such as `ss` for `ß`; otherwise one letter. */
function partAt(letters: readonly string[], index: number): string[] {
  for (let length = LONGEST_FOLDED; length > 1; length--) {
    const part = letters.slice(index, index + length);
    if (part.length > 1 && foldedVariants(part.join('')) !== '') {
      return part;
    }
  }
  return letters.slice(index, index + 1);
}

/**
 * A letter in every width and case, with the marks that a search ignores; also with its other marks as separate
 * characters.
 */
function letterPattern(letter: string): string {
  const whole = oneOf(letter + foldedVariants(letter));
  const decomposed = Array.from(foldText(letter));
  return decomposed.length === 1
    ? whole
    : `(?:${whole}|${decomposed.map((part) => oneOf(part + foldedVariants(part))).join('')})`;
}

/** One of these characters. */
function oneOf(text: string): string {
  const [first = '', ...others] = text;
  if (others.length === 0) {
    return escaped(first);
  }
  // Engines differ in which characters are special within a class.
  return /[\p{L}\p{M}\p{N}]/u.test(first)
    ? `[${toRanges([first, ...others])}]`
    : `(?:${[first, ...others].map(escaped).join('|')})`;
}

/** `ÀÁÂ` as `À-Â`, because MariaDB's patterns must be short. */
function toRanges(characters: readonly string[]): string {
  const codePoints = characters.map((character) => character.codePointAt(0) ?? 0).sort((one, other) => one - other);
  const ranges: [first: number, last: number][] = [];
  for (const codePoint of codePoints) {
    const range = ranges.at(-1);
    if (range?.[1] === codePoint - 1) {
      range[1] = codePoint;
    } else {
      ranges.push([codePoint, codePoint]);
    }
  }
  return ranges.map((range) => [...new Set(range)].map((end) => String.fromCodePoint(end)).join('-')).join('');
}

function escaped(character: string): string {
  return character.replace(/[\\^$.|?*+()[\]{}]/, '\\$&');
}

/** The most letters that one letter folds to: `ffi` for `ﬃ`. */
const LONGEST_FOLDED = 3;

/** Letters are read in rows of this many. In Unicode, those of one kind are close to each other. */
const ROW = 256;

/** Rows in which letters may be folded. The last rows are ideographs that represent others. */
const ROWS = [...Array(0x20_000 / ROW).keys(), 0x2f8, 0x2f9, 0x2fa];

const HAS_FOLDED = /[\p{Changes_When_NFKC_Casefolded}\p{Changes_When_Casemapped}]/u;

let foldedTo: Map<string, string> | undefined;

/**
 * All other letters that `foldText` turns into this text in its composed form: `Ｅeé…` without `e` for `e`, `ßẞ` for
 * `ss`.
 */
export function foldedVariants(text: string): string {
  foldedTo ??= allFolded();
  return foldedTo.get(text) ?? '';
}

/** The table is built at the first search, within some hundredths of a second. */
function allFolded(): Map<string, string> {
  const all = new Map<string, string>();
  for (const row of ROWS) {
    const letters = lettersOf(row);
    if (letters.some((letter) => HAS_FOLDED.test(letter))) {
      // All at once, which is faster. Letters are never composed with a line feed.
      const folded = unicodeForm(foldText(letters.join('\n'))).split('\n');
      letters.forEach((letter, index) => {
        const key = folded[index] ?? '';
        if (key !== '' && key !== letter) {
          all.set(key, (all.get(key) ?? '') + letter);
        }
      });
    }
  }
  return all;
}

function lettersOf(row: number): string[] {
  const codePoints = Array.from({ length: ROW }, (_letter, index) => row * ROW + index);
  return codePoints
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((letter) => letter !== '\n' && letter.isWellFormed());
}
