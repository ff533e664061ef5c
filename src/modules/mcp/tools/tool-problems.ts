import { hasInvisible, mapTexts } from '../../../common/text/invisible';
import { isTooLarge, type McpToolDefinition } from './tool-definition';

/**
 * Problems of a tool that an administrator must review. Some prevent an approval: a duplicate name makes the called
 * tool ambiguous, a definition is too large, or a tool only accepts calls as tasks and could never be called.
 */
export const TOOL_PROBLEMS = [
  'too_large',
  'too_deep',
  'invalid_schema',
  'needs_task',
  'duplicate_name',
  'equal_name',
  'invisible_characters',
  'mixed_scripts',
] as const;

export type ToolProblem = (typeof TOOL_PROBLEMS)[number];

const FATAL: readonly ToolProblem[] = ['too_large', 'too_deep', 'invalid_schema', 'needs_task', 'duplicate_name'];

/** Letters that look like Latin ones, as in `pаypal`, whose second letter is Cyrillic. */
const LATIN = /\p{Script=Latin}/u;
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** The problems that prevent an approval. */
export function fatalAmong(problems: readonly ToolProblem[]): ToolProblem[] {
  return problems.filter((problem) => FATAL.includes(problem));
}

/** The problems of a single definition, which must not be too deep. */
export function problemsOf(definition: McpToolDefinition): ToolProblem[] {
  const texts: string[] = [];
  mapTexts(definition, (text) => {
    texts.push(text);
    return text;
  });
  const found: [ToolProblem, boolean][] = [
    ['too_large', isTooLarge(definition)],
    ['invalid_schema', definition.inputSchema.type !== 'object' || hasFaultyHeaders(definition.inputSchema)],
    ['invisible_characters', texts.some(hasInvisible)],
    ['mixed_scripts', texts.some(mixesScripts)],
  ];
  return found.filter(([, isThere]) => isThere).map(([problem]) => problem);
}

/** Whether a word in the text mixes scripts with letters that look alike. */
export function mixesScripts(text: string): boolean {
  return ALIKE.test(text) && (text.match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => LATIN.test(word) && ALIKE.test(word));
}

/** The schema keyword for an argument that is also sent as an HTTP header. */
const DECLARATION = 'x-mcp-header';

/** A token (RFC 9110 section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Types whose values have exactly one form as a header. */
const PERMITTED_TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Schema members that contain values instead of schemas. */
const OF_VALUES = ['default', 'const', 'enum', 'examples'];

/**
 * Whether a schema has header declarations that clients must reject (MCP 2026-07-28): an invalid or duplicate name, a
 * type other than a plain value, or a place where the argument is ambiguous. The schema must not be too deep.
 */
export function hasFaultyHeaders(inputSchema: Record<string, unknown>): boolean {
  const names = new Set<string>();
  const isFaulty = (schema: unknown, isNamed: boolean, isRoot = false): boolean => {
    if (typeof schema !== 'object' || schema === null) {
      return false;
    }
    const { [DECLARATION]: name, type, properties, ...others } = schema as Record<string, unknown>;
    if (DECLARATION in schema) {
      const isTaken = typeof name !== 'string' || names.has(name.toLowerCase());
      if (isTaken || isRoot || !isNamed || !HEADER_NAME.test(name) || !PERMITTED_TYPES.includes(type)) {
        return true;
      }
      names.add(name.toLowerCase());
    }
    const schemas = Object.entries(others).filter(([member]) => !OF_VALUES.includes(member));
    return (
      Object.values(properties ?? {}).some((property) => isFaulty(property, isNamed)) ||
      schemas.some(([, member]) => isFaulty(member, false))
    );
  };
  return isFaulty(inputSchema, true, true);
}
