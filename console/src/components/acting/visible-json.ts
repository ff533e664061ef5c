/** Signs that nobody sees, or that turn the direction of what is written. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u007f-\u009f\u2028\u2029]/gu;

/** A value as JSON that shows every sign of its texts: those that nobody would see are written out, as `\u200b`. */
export function visibleJson(value: unknown): string {
  return visibleText(JSON.stringify(value, null, 2));
}

/** A text that shows every sign. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

function escaped(sign: string): string {
  // One sign may be two units.
  return [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
