import { hasInvisible, mapTexts } from '../../../common/text/invisible';
import { hasFaultyHeaders } from './header-declarations';
import { isTooLarge, type ToolDefinition } from './tool-definition';

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
export function problemsOf(definition: ToolDefinition): ToolProblem[] {
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
