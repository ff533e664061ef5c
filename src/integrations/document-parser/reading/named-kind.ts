/* Apart from the readers, because the service needs it at its start, and them only in the parser's process. */

const NAMED = /\.(md|markdown|mdx|csv|tsv|html?|xhtml)$/i;

export type TextKind = 'plain' | 'markdown' | 'csv' | 'tsv' | 'html';

/** The kind of text that a name promises. It decides only between kinds of text. */
export function namedKind(filename: string): TextKind {
  const extension = NAMED.exec(filename)?.[1]?.toLowerCase() ?? '';
  if (extension === 'csv' || extension === 'tsv') {
    return extension;
  }
  return extension === '' ? 'plain' : extension.includes('h') ? 'html' : 'markdown';
}
