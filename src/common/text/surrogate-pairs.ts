/** Cuts texts between characters. JavaScript counts UTF-16 units, and many characters have two of them. */

/** The offset itself, or the previous one if it would split a surrogate pair. */
export function characterStart(text: string, offset: number): number {
  const isWithin = isFirstHalf(text.charCodeAt(offset - 1)) && isSecondHalf(text.charCodeAt(offset));
  return isWithin ? offset - 1 : offset;
}

/** The first `length` UTF-16 units of a text, one fewer if they would split a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, characterStart(text, length));
}

export function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
