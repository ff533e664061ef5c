/** Text from outside, with U+FFFD for what no database gives back unchanged: NUL, and halves of surrogate pairs. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
