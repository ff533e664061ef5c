import type { Lexer, Token } from 'marked';

/** A custom token: a footnote with its content. */
export interface FootnoteToken {
  type: 'footnote';
  raw: string;
  label: string;
  tokens: Token[];
}

/** A custom token: a reference to a footnote. */
export interface FootnoteReferenceToken {
  type: 'footnote-reference';
  raw: string;
  label: string;
}

const DEFINITION = /^ {0,3}\[\^([^\s[\]\\]{1,50})\]:[ \t]*/;

/** A reference followed by an address in parentheses is a link. */
const REFERENCE = /^\[\^([^\s[\]\\]{1,50})\](?!\([^\s()]*\))/;

/** Lines that cannot continue the preceding paragraph. */
const BEGINS_BLOCK = /^ {0,3}(?:\[[^\]]*\]:|[#>|<]|```|~~~|[-*+][ \t]|\d{1,9}[.)][ \t])/;

const INDENTED = /^(?: {4}|\t)/;

/** Tokenizes a footnote. Markdown would read a note of a single word or address as a link definition. */
export function readFootnote(this: { lexer: Lexer }, source: string): FootnoteToken | undefined {
  const [start, label] = DEFINITION.exec(source.slice(0, 100)) ?? [];
  if (start === undefined || label === undefined) return undefined;
  const raw = source.slice(0, endOfNote(source));
  const text = raw.slice(start.length).replace(/^(?: {1,4}|\t)/gm, '');
  const { state } = this.lexer;
  const { top } = state;
  state.top = true;
  const tokens = this.lexer.blockTokens(text, []);
  state.top = top;
  return { type: 'footnote', raw, label, tokens };
}

/** The end of the last line that continues the note or is indented below it. */
function endOfNote(source: string): number {
  let end = endOfLine(source, 0);
  let isParagraph = true;
  for (let start = end; start < source.length;) {
    const next = endOfLine(source, start);
    const line = source.slice(start, next);
    start = next;
    if (line.trim() === '') {
      isParagraph = false;
      continue;
    }
    if (!INDENTED.test(line) && (!isParagraph || BEGINS_BLOCK.test(line))) return end;
    end = next;
    isParagraph = true;
  }
  return end;
}

/** The start of the next footnote in a paragraph, for notes without an empty line before them. */
export function nextFootnote(source: string): number {
  for (
    let start = endOfLine(source, 0);
    start < source.length && source[start] !== '\n';
    start = endOfLine(source, start)
  ) {
    if (DEFINITION.test(source.slice(start, start + 100))) return start;
  }
  return -1;
}

export function readFootnoteReference(source: string): FootnoteReferenceToken | undefined {
  const [raw, label] = REFERENCE.exec(source) ?? [];
  return raw === undefined || label === undefined ? undefined : { type: 'footnote-reference', raw, label };
}

function endOfLine(source: string, start: number): number {
  const end = source.indexOf('\n', start);
  return end === -1 ? source.length : end + 1;
}
