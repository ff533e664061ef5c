import { hasInvisible, mapTexts } from '../../../common/text/invisible';
import { isTooLarge, type McpToolDefinition } from '../protocol/tool-definition';

/**
 * What an administrator must know of a tool. Two tools of one name, and what is too large, can not be approved; nobody could say
 * what is called. Nor can what could never be called: a tool that takes calls only as tasks.
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

/** Words with Latin letters and letters that look like them: `pаypal`, whose second letter is Cyrillic. */
const LATIN = /\p{Script=Latin}/u;
const ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** The problems that no administrator can approve a tool with. */
export function fatalAmong(problems: readonly ToolProblem[]): ToolProblem[] {
  return problems.filter((problem) => FATAL.includes(problem));
}

/** What is wrong with a definition that is not too deep, by itself. */
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

/** Whether a word of a text has letters of several scripts that look alike. */
export function mixesScripts(text: string): boolean {
  return ALIKE.test(text) && (text.match(/[\p{L}\p{M}]+/gu) ?? []).some((word) => LATIN.test(word) && ALIKE.test(word));
}

/** By which a schema says that an argument is sent in a header of HTTP too. */
const DECLARATION = 'x-mcp-header';

/** A token (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Types whose values have one form as a header. */
const PERMITTED_TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Members of a schema that are values, and no schemas. */
const OF_VALUES = ['default', 'const', 'enum', 'examples'];

/**
 * Whether a schema declares headers as no client may take them (MCP 2026-07-28): with a name that is no header's or stands twice, for
 * something other than a plain value, or where it cannot be told beforehand which argument is meant. It must not be too deep.
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
