import { caseVariants } from './case-variants';

/** `i` with a dot that stands apart, as the Turkish `İ` is in small letters: means nothing but `i`. */
export const DOTTED_I = 'i\u0307';

/** A text to be found, as lists of letters in each of which one letter is chosen: `[['σ', 'ς', 'Σ'], ['ο', 'Ο']]`. */
export type TextForm = readonly string[];

/**
 * The ways to write a text: with accents that are part of their letters or stand behind them, with `ß` or `ss`, and as it
 * is, so that a text is found by every part of itself. What is searched has to be in small letters, as far as ASCII goes,
 * and `DOTTED_I` in it an `i`.
 *
 * @returns for each way, for each letter all those that are the same one but for their case
 */
export function textForms(text: string): TextForm[] {
  const small = text.toLowerCase().replaceAll(DOTTED_I, 'i');
  const normalized = [small, small.normalize('NFC'), small.normalize('NFD').replaceAll(DOTTED_I, 'i')];
  const forms = normalized.flatMap((form) => [form, form.replaceAll('ß', 'ss'), form.replaceAll('ss', 'ß')]);
  return [...new Set(forms)].map((form) => Array.from(form, caseVariants));
}

/**
 * The longest part, in small letters, that is the same in every form, of ASCII alone; undefined when there is none. `i`
 * and `k` are not in it, which have relatives in other scripts' corners.
 */
export function certainPart(text: string): string | undefined {
  const small = text.normalize('NFC').toLowerCase().replaceAll('ss', '\0');
  const parts = small.match(/(?:[ -hjl-~](?!\p{M}))+/gu) ?? [];
  return parts.sort((one, other) => other.length - one.length)[0];
}

/** As a regular expression (PCRE, ICU, ECMAScript with the flag `u`). */
export function toRegularExpression(form: TextForm): string {
  return form.map((letters) => (isOne(letters) ? escape(letters) : `[${letters}]`)).join('');
}

/**
 * As patterns for SQLite's GLOB, of which one finds it anywhere: one for each way to write the first letter, which SQLite
 * looks for many times faster than for one of several.
 */
export function toGlobs([first = '', ...others]: TextForm): string[] {
  const rest = others.map(toGlobLetter).join('');
  return Array.from(first, (letter) => `*${toGlobLetter(letter)}${rest}*`);
}

/** A test for whether texts in memory contain one, as `matchesText` asks databases. */
export function textMatcher(text: string): (candidate: string) => boolean {
  const pattern = new RegExp(textForms(text.trim()).map(toRegularExpression).join('|'), 'u');
  return (candidate) => pattern.test(candidate.toLowerCase().replaceAll(DOTTED_I, 'i'));
}

function toGlobLetter(letters: string): string {
  return isOne(letters) && !'*?['.includes(letters) ? letters : `[${letters}]`;
}

function isOne(letters: string): boolean {
  return Array.from(letters).length === 1;
}

function escape(letter: string): string {
  return letter.replace(/[\\^$.|?*+()[\]{}]/, '\\$&');
}
