/** A finding in a text, in UTF-16 code units. */
export interface TypedSpan {
  start: number;
  end: number;
  type: string;
}

const MASK = /\[[A-Z][A-Z0-9_]{0,31}_[1-9]\d{0,8}\]/g;

/** The end of a text that may become a mask: a type of up to 32 characters, and a number of up to 9 digits. */
export const MASK_BEGINNING = /\[(?:[A-Z][A-Z0-9_]{0,41})?$/;

/** The places in a text that look like masks, such as `[EMAIL_1]`. */
export function findMasks(text: string): { start: number; end: number; mask: string }[] {
  return text.includes('[')
    ? [...text.matchAll(MASK)].map(({ index, 0: mask }) => ({ start: index, end: index + mask.length, mask }))
    : [];
}

/** Replaces everything that looks like a mask. */
export function replaceMasks(text: string, replace: (mask: string) => string): string {
  return text.includes('[') ? text.replace(MASK, replace) : text;
}

/** Joins overlapping spans. The joined one has the type of the earliest. */
export function joinSpans<Span extends TypedSpan>(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last !== undefined && span.start < last.end) {
      joined[joined.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    } else if (span.start < span.end) {
      joined.push(span);
    }
  }
  return joined;
}

/** A replaced place of a text. */
export interface Edit {
  start: number;
  end: number;
  text: string;
  isMask: boolean;
}

/** A text with replaced places. */
export interface MappedText {
  text: string;
  /** The place in the original text of a span in this one. Null: it touches a mask. */
  original<Span extends TypedSpan>(span: Span): Span | null;
}

/** Insertions after which text that only looks like a mask is no longer one: `[IBAN_1]` becomes `[ IBAN_1]`. */
export function escapesIn(text: string): Edit[] {
  return findMasks(text).map(({ start }) => ({ start: start + 1, end: start + 1, text: ' ', isMask: false }));
}

/** Applies edits that do not overlap, in the order of their places. */
export function editText(text: string, edits: readonly Edit[]): MappedText {
  if (edits.length === 0) {
    return { text, original: (span) => span };
  }
  const placed: (Edit & { at: number })[] = [];
  let edited = '';
  let end = 0;
  for (const edit of edits) {
    edited += text.slice(end, edit.start);
    placed.push({ ...edit, at: edited.length });
    edited += edit.text;
    ({ end } = edit);
  }
  return { text: edited + text.slice(end), original: (span) => originalOf(placed, span) };
}

function originalOf<Span extends TypedSpan>(placed: readonly (Edit & { at: number })[], span: Span): Span | null {
  const touches = placed.some(({ isMask, at, text }) => isMask && span.start < at + text.length && span.end > at);
  return touches ? null : { ...span, start: placeBefore(placed, span.start), end: placeBefore(placed, span.end) };
}

function placeBefore(placed: readonly (Edit & { at: number })[], place: number): number {
  const edit = placed.findLast(({ at }) => at < place);
  return edit === undefined ? place : edit.end + Math.max(0, place - edit.at - edit.text.length);
}
