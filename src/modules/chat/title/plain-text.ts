/** Lines that are only Markdown: code fences, rules and heading underlines. */
const MARK_LINE = /^\s*(?:`{3,}[^`]*|~{3,}[^~]*|={3,}|-[\s-]{2,}|_[\s_]{2,}|\*[\s*]{2,})$/;

/** Block quotes, headings and list items, which may be nested. */
const LINE_MARK = /^\s*(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,3}[.)](?=\s)|\[[ xX]\](?=\s))\s*)+/;

/** In this order: images and links, code, then emphasis around whole words, so `2*3*4` and `__init__` stay. */
const SPANS: [RegExp, string][] = [
  [/!?\[([^\][]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g, '$1'],
  [/!?\[([^\][]+)\]\[[^\][]*\]/g, '$1'],
  [/<((?:https?:\/\/|mailto:)[^<>\s]+)>/g, '$1'],
  [/(?<!`)(`{1,3})(?!`)([^`]+)\1(?!`)/g, '$2'],
  [/(?<![\w*\\])\*\*\*(?=[^\s*])([^*]*)(?<=[^\s*\\])\*\*\*(?![\w*])/g, '$1'],
  [/(?<![\w*\\])\*\*(?=[^\s*])([^*]*)(?<=[^\s*\\])\*\*(?![\w*])/g, '$1'],
  [/(?<![\w*\\])\*(?=[^\s*])([^*]*)(?<=[^\s*\\])\*(?![\w*])/g, '$1'],
  [/(?<![\w_\\])__(?=[^\s_])([^_]*\s[^_]*)(?<=[^\s_\\])__(?![\w_])/g, '$1'],
  [/(?<![\w_\\])_(?=[^\s_])([^_]*)(?<=[^\s_\\])_(?![\w_])/g, '$1'],
  [/(?<![\w~\\])~~(?=[^\s~])([^~]*)(?<=[^\s~\\])~~(?![\w~])/g, '$1'],
  [/\\([\\`*_~#[\]()>-])/g, '$1'],
];

/** Removes Markdown from a text, line by line. Callers pass a few thousand characters at most. */
export function withoutMarkdown(text: string): string {
  return text
    .split('\n')
    .filter((line) => !MARK_LINE.test(line))
    .map(plainLine)
    .join('\n');
}

function plainLine(line: string): string {
  const text = line.replace(LINE_MARK, '');
  const isHeading = /^\s*#{1,6}\s/.test(line);
  const unmarked = isHeading ? text.replace(/\s#+\s*$/, '') : text;
  return SPANS.reduce((plain, [span, content]) => plain.replace(span, content), unmarked);
}

/** The possible closing quotation marks of each opening mark. */
const CLOSING_MARKS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['”', '”'],
  ['„', '“”'],
  ['‘', '’'],
  ['‚', '‘’'],
  ['«', '»'],
  ['»', '«'],
  ['‹', '›'],
  ['「', '」'],
  ['『', '』'],
  ['《', '》'],
]);

/** Removes quotation marks around the whole text. */
export function withoutQuotes(text: string): string {
  const closing = CLOSING_MARKS.get(text.charAt(0));
  const inner = text.slice(1, -1);
  return closing?.includes(text.charAt(text.length - 1)) &&
    inner !== '' &&
    isOneQuotation(text.charAt(0), closing, inner)
    ? inner.trim()
    : text;
}

/** Whether no mark inside closes the quotation, as in `"A" and "B"`. */
function isOneQuotation(opening: string, closing: string, inner: string): boolean {
  let depth = 0;
  for (let at = 0; at < inner.length; at++) {
    const mark = inner.charAt(at);
    const [before, after] = [inner.charAt(at - 1), inner.charAt(at + 1)];
    const isApostrophe = /^['’]$/.test(mark) && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
    if (isApostrophe || (mark !== opening && !closing.includes(mark))) {
      continue;
    }
    // If both marks are equal, one before a word opens a quotation and any other closes one.
    const isBeginning = closing.includes(opening) ? /^[\s([]?$/.test(before) : mark === opening;
    depth += isBeginning ? 1 : -1;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}
