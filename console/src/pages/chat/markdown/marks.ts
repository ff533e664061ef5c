/**
 * Enclose the number of a citation in Markdown text. Punctuation is outside, because emphasis next to a letter would
 * not end. Characters for private use are inside, and are removed from the text of the model.
 */
export const [MARK_START, MARK_END] = ['\u2e28\ue000', '\ue001\u2e29'];

/** The text between marks, and the numbers of the marks. */
export function splitAtMarks(text: string): (string | number)[] {
  return text.split(/\u2e28\ue000(\d+)\ue001\u2e29/).map((part, index) => (index % 2 === 0 ? part : Number(part)));
}

/** The text without marks, for source code and formulas. */
export function withoutMarks(text: string): string {
  return splitAtMarks(text)
    .filter((part) => typeof part === 'string')
    .join('');
}
