/** Invisible characters, and characters that change the text direction. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u007f-\u009f\u2028\u2029]/gu;

/** Formats a value as JSON. Invisible characters are escaped, for example as `\u200b`. */
export function visibleJson(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2));
}

/** Escapes the invisible characters of a text. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

function escaped(sign: string): string {
  // A character may have two UTF-16 code units.
  return [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
