import { normalForm } from '../../../common/validation/normal-form';

/** What a username consists of: letters of any script with their marks, digits, `_`, `.` and `-`. */
const USERNAME = /^[\p{L}\p{N}_.-][\p{L}\p{M}\p{N}_.-]*$/u;

/** Characters that are letters by category and yet show nothing, such as the Hangul filler. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** Names by which other users would take somebody for the service itself. */
const RESERVED = new Set(['admin', 'root', 'system', 'assistant', 'support']);

const LONGEST_KEY = 64;

/** The form in which a username is kept and shown. */
export function normalizeUsername(username: string): string {
  return normalForm(username);
}

/**
 * The form by which usernames are compared: without differences of case and of compatible characters. By way of capitals,
 * because small letters alone have pairs that differ only by their place in the word (ς, σ) or by spelling (ß, ss).
 */
export function usernameKey(username: string): string {
  return normalForm(normalForm(username, 'NFKC').toUpperCase().toLowerCase(), 'NFKC');
}

/** Whether the username consists of allowed characters only; its length is another rule. */
export function hasUsernameCharacters(username: string): boolean {
  const key = usernameKey(username);
  return USERNAME.test(username) && USERNAME.test(key) && !INVISIBLE.test(username) && key.length <= LONGEST_KEY;
}

export function isReservedUsername(username: string): boolean {
  return RESERVED.has(usernameKey(username));
}
