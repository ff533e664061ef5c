/** Excludes white space, controls, characters without width, fillers, the empty braille cell and combining marks. */
const VISIBLE = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text has a visible character. */
export function hasVisible(text: string): boolean {
  return VISIBLE.test(text);
}
