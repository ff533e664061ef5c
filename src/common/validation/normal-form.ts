/**
 * Longest text that is normalized, in UTF-16 units: no character of NFC stands for more than eight, and no rule allows
 * more than 128 characters where texts are normalized.
 */
const LONGEST = 1_024;

/**
 * The one form of texts that look the same. Longer texts than any rule allows stay as they are, for the rule to refuse:
 * the time for a row of combining marks grows with its square, to a minute for a body's megabyte.
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC' = 'NFC'): string {
  return text.length > LONGEST ? text : text.normalize(form);
}
