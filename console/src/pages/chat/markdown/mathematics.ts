import type { Token } from 'marked';

/** A custom token. */
export interface FormulaToken {
  type: 'formula';
  raw: string;
  /** Whether the closing delimiter is missing so far. */
  isOpen?: boolean;
}

/** Characters that formulas contain, but bracketed words rarely do. */
const IN_FORMULAS = /[\\^_={}+]/;

/** `$a_1$` or `$$a_1$$`. After a price, the next `$` follows a space or precedes a digit. */
const IN_DOLLARS = /^(\$\$(?!\$)[^$]+\$\$|\$(?![\s$])[^$]*[^\s$\\]\$)(?![\w$])/;

/** Words between two prices, except those in `\text{…}`. */
const WORDS_OF_PROSE = /^\$\d(?=.*(?<![\\{\p{L}])\p{L}{2})/su;

/** A letter with an index or argument, or short terms without words: `$n$`, `$f(x)$`, `$a - b$`. */
const SHORT = /^\$\$?\s*(?:\p{L}(?!.*\p{L}{2}).{0,40}|\d+(?:[.,]\d+)?)\s*\$\$?$/u;

/** A display formula that closes before an empty line, and the rest of its line. */
const APART =
  /^ {0,3}(?:\$\$(?!\$)((?:(?!\n[ \t]*\n|\$\$)[^])+)\$\$|\\\[((?:(?!\n[ \t]*\n|\\\])[^])+)\\\])[ \t]*(?:\n+|$)/;

/** The same while the closing delimiter is missing. */
const APART_OPEN = /^ {0,3}(?:\$\$(?!\$)|\\\[(?=\s|$))(?:(?!\n[ \t]*\n|\$\$|\\\])[^])*$/;

/** Longer text is not a formula. */
const LONGEST = 5_000;

/**
 * Tokenizes a formula: `\(a_1\)`, `\[x = 1\]`, `$a_1$` or `$$x = 1$$`. Markdown would remove its backslashes, and read
 * its underscores and asterisks as emphasis.
 */
export function readFormula(source: string): Token | undefined {
  const raw = formulaAt(source);
  return raw === undefined ? undefined : { type: 'formula', raw };
}

/** The next possible start of a formula without a backslash. */
export function nextFormula(source: string): number {
  return source.indexOf('$');
}

/** Tokenizes a display formula, whose lines Markdown would read as lists and headings. */
export function readBlockFormula(source: string): Token | undefined {
  if (!/^ {0,3}(?:\$\$|\\\[)/.test(source)) return undefined;
  const start = source.slice(0, LONGEST);
  const [raw, inDollars, inBrackets] = APART.exec(start) ?? [];
  const content = inDollars ?? inBrackets;
  if (raw !== undefined && content !== undefined) {
    const isFormula = inDollars !== undefined || /^\s/.test(content) || IN_FORMULAS.test(content);
    return isFormula && content.trim() !== '' ? { type: 'formula', raw } : undefined;
  }
  const open = source.length < LONGEST ? APART_OPEN.exec(source)?.[0] : undefined;
  return open === undefined ? undefined : { type: 'formula', raw: open, isOpen: true };
}

/** The next line that may start a display formula. `$$` may also close a formula that started within a line. */
export function nextBlockFormula(source: string): number {
  for (const { 0: found, index } of source.slice(0, LONGEST).matchAll(/\n {0,3}(?:\$\$|\\\[)/g)) {
    const isEnd = found.endsWith('$$') && source.slice(0, index).split('$$').length % 2 === 0;
    if (!isEnd) return index + 1;
  }
  return -1;
}

/** The content between the delimiters, and whether it is a display formula. */
export function partsOf(raw: string): { tex: string; isBlock: boolean } {
  const isBlock = raw.startsWith('$$') || raw.startsWith('\\[');
  const mark = isBlock || raw.startsWith('\\(') ? 2 : 1;
  return { tex: raw.slice(mark, -mark).trim(), isBlock };
}

function formulaAt(source: string): string | undefined {
  if (source.startsWith('\\(')) return inLine(source);
  if (source.startsWith('\\[')) return apart(source);
  return source.startsWith('$') ? inDollars(source) : undefined;
}

/** The closing delimiter may still be missing. */
function inLine(source: string): string {
  const end = source.indexOf('\\)');
  return end === -1 ? '\\(' : source.slice(0, end + 2);
}

/** `\[` may also escape the bracket of a link or task. Only formulas have white space around them. */
function apart(source: string): string | undefined {
  const end = source.indexOf('\\]');
  const isSpaced = /^\\\[\s/.test(source);
  if (end === -1) return isSpaced ? '\\[' : undefined;
  const content = source.slice(2, end);
  const isFormula =
    (IN_FORMULAS.test(content) || (isSpaced && content.trim() !== '')) && !'(['.includes(source.charAt(end + 2) || ' ');
  return isFormula ? source.slice(0, end + 2) : undefined;
}

function inDollars(source: string): string | undefined {
  const raw = IN_DOLLARS.exec(source)?.[0];
  if (raw === undefined || WORDS_OF_PROSE.test(raw)) return undefined;
  return IN_FORMULAS.test(raw) || SHORT.test(raw) ? raw : undefined;
}
