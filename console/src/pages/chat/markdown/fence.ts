import type { Tokens } from 'marked';

const OPENING = /^( {0,3})(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})([^\n]*)(?:\n|$)/;

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

const MARKDOWN = /^(?:markdown|mdx?)$/i;

/**
 * Tokenizes a fenced code block. Models nest fences of the same length in a Markdown block, which CommonMark would
 * close at the first fence without a language. Here, a fence with a language opens an inner block, and the next fence
 * without a language closes it.
 */
export function readFence(source: string): Tokens.Code | undefined {
  const [head, indent = '', marks = '', info = ''] = OPENING.exec(source) ?? [];
  if (head === undefined) return undefined;
  const lang = info.trim();
  const isMarkdown = MARKDOWN.test(/^\S*/.exec(lang)?.[0] ?? '');
  const { start, end } = closingOf(source, head.length, { marks, isMarkdown });
  const content = source.slice(head.length, start).replace(/\n$/, '');
  const text = indent === '' ? content : content.replace(new RegExp(`^ {1,${indent.length}}`, 'gm'), '');
  return { type: 'code', raw: source.slice(0, end), lang, text };
}

interface Block {
  marks: string;
  isMarkdown: boolean;
}

/** Start and end of the line that closes a block, or the end of the text while that line is missing. */
function closingOf(source: string, from: number, { marks, isMarkdown }: Block): { start: number; end: number } {
  /** Lengths of the open fences. */
  const open = [marks.length];
  let previous = '';
  for (let start = from, end = 0; start < source.length; start = end + 1) {
    end = endOfLine(source, start);
    const line = source.slice(start, end);
    const [, fence = '', info = ''] = FENCE.exec(line) ?? [];
    const length = fence.startsWith(marks.charAt(0)) ? fence.length : 0;
    const isBare = info.trim() === '';
    const isInner = isBare
      ? isMarkdown && open.length === 1 && previous.trim() === '' && isText(source, end + 1)
      : /^[\w{.]/.test(info);
    if (isInner && length >= marks.length) open.push(length);
    else if (isBare && length >= (open.at(-1) ?? 0)) open.pop();
    if (open.length === 0) return { start, end };
    previous = line;
  }
  return { start: source.length, end: source.length };
}

/**
 * Whether the line is neither empty nor a fence. In a Markdown block, a fence between an empty line and such a line
 * opens a block.
 */
function isText(source: string, start: number): boolean {
  return /^(?! {0,3}(?:```|~~~))[^\n]*\S/.test(source.slice(start, endOfLine(source, start)));
}

function endOfLine(source: string, start: number): number {
  const end = source.indexOf('\n', start);
  return end === -1 ? source.length : end;
}
