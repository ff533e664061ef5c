import { unicodeForm } from '../text/folding';

/**
 * Longest text that is normalized, in UTF-16 units. A character in NFC comes from at most eight units, and texts that
 * are normalized may have at most 128 characters.
 */
const LONGEST = 1_024;

/**
 * The common form of texts that look the same. Texts that are too long for every rule stay unchanged, and the rule
 * refuses them, so that no caller makes the service normalize a whole body.
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC' = 'NFC'): string {
  return text.length > LONGEST ? text : unicodeForm(text, form);
}
