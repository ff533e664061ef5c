import { unicodeForm } from '../../../common/text/folding';
import { INVISIBLE } from '../../../common/text/invisible';

const LONGEST = 255;

/** Names of directories, which no program should write to. */
const UNUSABLE = new Set(['', '.', '..']);

/**
 * The name that a file keeps: what a client sent after the last separator, in NFC, without tabs, line ends and
 * characters that people do not see, at most 255 characters. It is shown and sent back, and never used as a path.
 */
export function fileName(sent: string): string {
  const last = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1);
  const visible = unicodeForm(last.slice(0, 8 * LONGEST).toWellFormed())
    .replace(INVISIBLE, '')
    .replace(/[\t\n]/g, '');
  const name = [...visible.trim()].slice(0, LONGEST).join('').trim();
  return UNUSABLE.has(name) ? 'file' : name;
}
