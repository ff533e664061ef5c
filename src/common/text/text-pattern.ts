import { caseVariants } from './case-variants';

/** `i` with a separate dot, which is the Turkish `İ` in small letters. It means the same as `i`. */
export const DOTTED_I = 'i\u0307';

/** A text to be found. Each list has the allowed forms of one letter: `[['σ', 'ς', 'Σ'], ['ο', 'Ο']]`. */
export type TextForm = readonly string[];

/**
 * The ways to write a text: with composed accents, with separate accents, with `ß` or `ss`, and unchanged, so a text is
 * found by every part of itself. In the searched text, ASCII letters must be small letters, and every `DOTTED_I` must
 * be an `i`.
 *
 * @returns for each way, for each letter all its forms that differ only in case
 */
export function textForms(text: string): TextForm[] {
  const small = text.toLowerCase().replaceAll(DOTTED_I, 'i');
  const normalized = [small, small.normalize('NFC'), small.normalize('NFD').replaceAll(DOTTED_I, 'i')];
  const forms = normalized.flatMap((form) => [form, form.replaceAll('ß', 'ss'), form.replaceAll('ss', 'ß')]);
  return [...new Set(forms)].map((form) => Array.from(form, caseVariants));
}

/**
 * The longest part that is the same in every form, in small ASCII letters; undefined when there is none. It never
 * contains `i` or `k`, because these have forms outside of ASCII.
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
 * As patterns for SQLite's GLOB; the text is found when one of them matches. There is one pattern for each way to write
 * the first letter, because SQLite searches for one fixed letter many times faster.
 */
export function toGlobs([first = '', ...others]: TextForm): string[] {
  const rest = others.map(toGlobLetter).join('');
  return Array.from(first, (letter) => `*${toGlobLetter(letter)}${rest}*`);
}

/** A function that tests whether a text in memory contains this text. `matchesText` asks databases the same. */
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
