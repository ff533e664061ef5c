import type { Token } from 'marked';

/** What stands in formulas, and hardly in words that somebody has put into brackets. */
const IN_FORMULAS = /[\\^_={}+]/;

/** `$a_1$` or `$$a_1$$`. A price has a space before the next `$`, or a digit behind it. */
const IN_DOLLARS = /^(\$\$(?!\$)[^$]+\$\$|\$(?![\s$])[^$]*[^\s$\\]\$)(?![\w$])/;

/** Words between two prices, other than those in `\text{…}`. */
const WORDS_OF_PROSE = /^\$\d(?=.*(?<![\\{\p{L}])\p{L}{2})/su;

/**
 * A formula, as models write it: `\(a_1\)`, `\[x = 1\]`, `$a_1$` or `$$x = 1$$`. It is shown as it is written, because
 * Markdown would take its backslashes away, and read its underscores and stars as emphasis.
 */
export function readFormula(source: string): Token | undefined {
  const raw = formulaAt(source);
  return raw === undefined ? undefined : { type: 'formula', raw };
}

/** Where the next formula may begin that does not begin with a backslash. */
export function nextFormula(source: string): number {
  return source.indexOf('$');
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
  return raw !== undefined && IN_FORMULAS.test(raw) && !WORDS_OF_PROSE.test(raw) ? raw : undefined;
}
