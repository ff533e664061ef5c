import { sha256 } from '../protocol/tool-definition';

/** What the APIs of model providers take. */
const LONGEST = 64;
const KEPT = 55;
const HASHED = 8;

export const SEPARATOR = '__';

/** What models and agents call the tool of a server: `label__tool`, without signs that providers refuse. */
export function labelledToolName(label: string, tool: string): string {
  const name = `${label}${SEPARATOR}${tool}`.replace(/[^A-Za-z0-9_-]/g, '_');
  return name.length <= LONGEST
    ? name
    : `${name.slice(0, KEPT)}_${sha256(`${label}${SEPARATOR}${tool}`).slice(0, HASHED)}`;
}

/** The label in what a model calls a tool; null: it is none of a server. */
export function labelOf(name: string): string | null {
  const end = name.indexOf(SEPARATOR);
  return end > 0 ? name.slice(0, end) : null;
}
