/** Text from outside. U+FFFD replaces what databases cannot store: NUL, and halves of surrogate pairs. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
