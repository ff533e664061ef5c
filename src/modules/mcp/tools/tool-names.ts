import { sha256 } from './tool-definition';

/** The maximum length of tool names in the APIs of model providers. */
const LONGEST = 64;
const KEPT = 55;
const HASHED = 8;

export const SEPARATOR = '__';

/** The name of an MCP tool for models and agents: `label__tool`, without characters that providers refuse. */
export function labelledToolName(label: string, tool: string): string {
  const name = `${label}${SEPARATOR}${tool}`.replace(/[^A-Za-z0-9_-]/g, '_');
  return name.length <= LONGEST
    ? name
    : `${name.slice(0, KEPT)}_${sha256(`${label}${SEPARATOR}${tool}`).slice(0, HASHED)}`;
}

/** The label in a tool name; null if the tool does not belong to an MCP server. */
export function labelOf(name: string): string | null {
  const end = name.indexOf(SEPARATOR);
  return end > 0 ? name.slice(0, end) : null;
}
