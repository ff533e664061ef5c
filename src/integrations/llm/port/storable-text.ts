import { LONGEST_MODEL_NAME } from './provider-definition';

/** External text. U+FFFD replaces what databases cannot store: NUL, and halves of surrogate pairs. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The name that a provider reports for its model, cut to what can be stored; empty if it reports none. */
export function toModelName(reported: string): string {
  return toStorableText(reported.slice(0, LONGEST_MODEL_NAME)).trim();
}
