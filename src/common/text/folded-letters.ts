import { foldText, unicodeForm } from './folding';

/** The most letters that one letter folds to: `ffi` for `ﬃ`. */
export const LONGEST_FOLDED = 3;

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
