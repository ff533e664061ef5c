import { loadPackage } from '../../../common/load-package';
import { unicodeForm } from '../../../common/text/folding';
import { normalForm } from '../../../common/validation/normal-form';

/** What a username consists of: letters of any script with their marks, digits, `_`, `.` and `-`. */
const USERNAME = /^[\p{L}\p{N}_.-][\p{L}\p{M}\p{N}_.-]*$/u;

/** Characters that count as letters but are invisible, such as the Hangul filler. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** Names that would make other users believe that somebody speaks for the service. */
const RESERVED = ['admin', 'root', 'system', 'assistant', 'support', 'moderator'];

let reservedAppearances: ReadonlySet<string> | undefined;

const LONGEST_KEY = 64;

/** The form in which a username is stored and shown. */
export function normalizeUsername(username: string): string {
  return normalForm(username);
}

/**
 * The form in which usernames are compared: case and compatible characters make no difference. It goes through capital
 * letters, because some small letters differ only by their place in the word (ς, σ) or by spelling (ß, ss).
 */
export function usernameKey(username: string): string {
  return normalForm(normalForm(username, 'NFKC').toUpperCase().toLowerCase(), 'NFKC');
}

/** Whether the username consists of allowed characters only. Its length is another rule. */
export function hasUsernameCharacters(username: string): boolean {
  const key = usernameKey(username);
  return USERNAME.test(username) && USERNAME.test(key) && !INVISIBLE.test(username) && key.length <= LONGEST_KEY;
}

export function isReservedUsername(username: string): boolean {
  const reserved = (reservedAppearances ??= new Set(RESERVED.flatMap(appearancesOf)));
  return appearancesOf(usernameKey(username)).some((appearance) => reserved.has(appearance));
}

/**
 * What the name looks like: without marks, and with one letter for all that look alike (UTS #39). In capitals too, because other
 * letters look alike there.
 */
function appearancesOf(name: string): string[] {
  // With the first new name: its table takes memory.
  const unhomoglyph = loadPackage('unhomoglyph') as (text: string) => string;
  const letters = unicodeForm(name, 'NFKD').replace(/\p{M}/gu, '');
  return [letters, letters.toUpperCase()].map((each) => unhomoglyph(each));
}

/** Whether an account may have the name, as somebody types it. */
export function isUsername(username: string): boolean {
  const length = [...username].length;
  return length >= 2 && length <= 32 && hasUsernameCharacters(username) && !isReservedUsername(username);
}
