import { loadPackage } from '../../../common/load-package';
import { unicodeForm } from '../../../common/text/folding';
import { normalForm } from '../../../common/validation/normal-form';

/** Allowed characters of a username: letters of any script with their marks, digits, `_`, `.` and `-`. */
const USERNAME = /^[\p{L}\p{N}_.-][\p{L}\p{M}\p{N}_.-]*$/u;

/** Characters that count as letters but are invisible, such as the Hangul filler. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** Names that could make users believe that the account speaks for the service. */
const RESERVED = ['admin', 'root', 'system', 'assistant', 'support', 'moderator'];

let reservedAppearances: ReadonlySet<string> | undefined;

const LONGEST_KEY = 64;

/** The form for storing and displaying a username. */
export function normalizeUsername(username: string): string {
  return normalForm(username);
}

/**
 * The form for comparing usernames, regardless of case and compatible characters. It converts to uppercase first,
 * because some lowercase letters differ only by their position in the word (ς, σ) or by spelling (ß, ss).
 */
export function usernameKey(username: string): string {
  return normalForm(normalForm(username, 'NFKC').toUpperCase().toLowerCase(), 'NFKC');
}

/** Whether the username consists of allowed characters only. Its length is a separate rule. */
export function hasUsernameCharacters(username: string): boolean {
  const key = usernameKey(username);
  return USERNAME.test(username) && USERNAME.test(key) && !INVISIBLE.test(username) && key.length <= LONGEST_KEY;
}

export function isReservedUsername(username: string): boolean {
  const reserved = (reservedAppearances ??= new Set(RESERVED.flatMap(appearancesOf)));
  return appearancesOf(usernameKey(username)).some((appearance) => reserved.has(appearance));
}

/**
 * The name's appearance: without marks, and with one letter for all similar ones (UTS #39). Uppercase is included,
 * because other letters look alike there.
 */
function appearancesOf(name: string): string[] {
  // Loaded with the first new name, because its table takes memory.
  const unhomoglyph = loadPackage('unhomoglyph') as (text: string) => string;
  const letters = unicodeForm(name, 'NFKD').replace(/\p{M}/gu, '');
  return [letters, letters.toUpperCase()].map((each) => unhomoglyph(each));
}

/** Whether an account may have this name. */
export function isUsername(username: string): boolean {
  const length = [...username].length;
  return length >= 2 && length <= 32 && hasUsernameCharacters(username) && !isReservedUsername(username);
}
