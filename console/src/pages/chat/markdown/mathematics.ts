import type { Token } from 'marked';

/** A token of our own. */
export interface FormulaToken {
  type: 'formula';
  raw: string;
  /** Its end is not written yet. */
  isOpen?: boolean;
}

/** What stands in formulas, and hardly in words that somebody has put into brackets. */
const IN_FORMULAS = /[\\^_={}+]/;

/** `$a_1$` or `$$a_1$$`. A price has a space before the next `$`, or a digit behind it. */
const IN_DOLLARS = /^(\$\$(?!\$)[^$]+\$\$|\$(?![\s$])[^$]*[^\s$\\]\$)(?![\w$])/;

/** Words between two prices, other than those in `\text{…}`. */
const WORDS_OF_PROSE = /^\$\d(?=.*(?<![\\{\p{L}])\p{L}{2})/su;

/** A letter with an index or an argument, or short terms without words: `$n$`, `$f(x)$`, `$a - b$`. */
const SHORT = /^\$\$?\s*(?:\p{L}(?!.*\p{L}{2}).{0,40}|\d+(?:[.,]\d+)?)\s*\$\$?$/u;

/** A formula that stands apart and is closed before an empty line, and what may follow it on its line. */
const APART =
  /^ {0,3}(?:\$\$(?!\$)((?:(?!\n[ \t]*\n|\$\$)[^])+)\$\$|\\\[((?:(?!\n[ \t]*\n|\\\])[^])+)\\\])[ \t]*(?:\n+|$)/;

/** The same before its end is written. */
const APART_OPEN = /^ {0,3}(?:\$\$(?!\$)|\\\[(?=\s|$))(?:(?!\n[ \t]*\n|\$\$|\\\])[^])*$/;

/** What is longer is no formula. */
const LONGEST = 5_000;

/**
 * A formula, as models write it: `\(a_1\)`, `\[x = 1\]`, `$a_1$` or `$$x = 1$$`. Markdown would take its backslashes away,
 * and read its underscores and stars as emphasis.
 */
export function readFormula(source: string): Token | undefined {
  const raw = formulaAt(source);
  return raw === undefined ? undefined : { type: 'formula', raw };
}

/** Where the next formula may begin that does not begin with a backslash. */
export function nextFormula(source: string): number {
  return source.indexOf('$');
}

/** A formula that is a block: Markdown would read its lines as lists and headings. */
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

/** Where the next line begins that may be a formula; `$$` may also end one that has begun within a line. */
export function nextBlockFormula(source: string): number {
  for (const { 0: found, index } of source.slice(0, LONGEST).matchAll(/\n {0,3}(?:\$\$|\\\[)/g)) {
    const isEnd = found.endsWith('$$') && source.slice(0, index).split('$$').length % 2 === 0;
    if (!isEnd) return index + 1;
  }
  return -1;
}

/** What stands between the marks of a formula, and whether they set it apart. */
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

/** The end may not have been written yet. */
function inLine(source: string): string {
  const end = source.indexOf('\\)');
  return end === -1 ? '\\(' : source.slice(0, end + 2);
}

/** A bracket may also be one that should be no link, or no task: around formulas alone stands white space. */
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
