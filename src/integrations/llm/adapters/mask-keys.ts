const MASK = '[key]';

/** The text before a key when a provider repeats our headers. */
const AFTER_HEADER =
  /((?:authorization|x-api-key|api[-_]key)["']?\s*[:=]\s*["']?(?:bearer\s+)?|bearer\s+)[^\s"',;}]+/gi;

/** The first letters of keys of known providers. Some providers replace the middle by stars or dots. */
const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk|AIza)[-_]?[A-Za-z0-9_*.…-]{6,}/g;

/**
 * A text of a provider without keys: our key, headers that it repeats, and everything that looks like a key.
 *
 * @param key our key for the provider
 */
export function maskKeys(text: string, key: string | null): string {
  const withoutOurs = key === null ? text : text.replaceAll(key, MASK).replace(escapedForms(key), MASK);
  return withoutOurs.replace(AFTER_HEADER, `$1${MASK}`).replace(KEY_LIKE, MASK);
}

/** Finds a key in the forms of JSON and of addresses: `\/`, `\"`, `\u002B`, `%2B`, and JSON inside JSON. */
function escapedForms(key: string): RegExp {
  // Any number of backslashes may stand between two characters.
  const [first = '\\\\', ...others] = [...key.replaceAll('\\', '')].map((character) => {
    const hex = character.charCodeAt(0).toString(16);
    const itself = /[A-Za-z0-9]/.test(character) ? character : `\\x${hex}`;
    return `(?:${itself}|u00${hex}|%${hex})`;
  });
  return new RegExp(`\\\\{0,8}${[first, ...others].join('(?:\\\\(?:u005c)?|%5c)*')}`, 'gi');
}
