import type { Token } from 'marked';

/** What stands in formulas, and hardly in words that somebody has put into brackets. */
const IN_FORMULAS = /[\\^_={}+]/;

/**
 * A formula, as models write it: `\(a_1\)` or `\[x = 1\]`. It is shown as it is written, because Markdown would take its
 * backslashes away, and read its underscores and stars as emphasis.
 */
export function readFormula(source: string): Token | undefined {
  const raw = source.startsWith('\\(') ? inLine(source) : source.startsWith('\\[') ? apart(source) : undefined;
  return raw === undefined ? undefined : { type: 'formula', raw };
}

/** The end may not have been written yet. */
function inLine(source: string): string {
  const end = source.indexOf('\\)');
  return end === -1 ? '\\(' : source.slice(0, end + 2);
}

/** A bracket may also be one that should be no link, or no task. */
function apart(source: string): string | undefined {
  const end = source.indexOf('\\]');
  const isFormula =
    end !== -1 && IN_FORMULAS.test(source.slice(2, end)) && !'(['.includes(source.charAt(end + 2) || ' ');
  return isFormula ? source.slice(0, end + 2) : undefined;
}
