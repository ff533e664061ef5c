import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { CalledTool, ToolChoice, ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { UnsupportedParameterError } from '../openai.errors';
import { modelToolName } from './model-tool-name';

/** Most functions of one request, those of namespaces included. */
export const MOST_FUNCTIONS = 512;

/** How the input of a custom tool must look; models are told, but not held to it. */
export interface CustomFormat {
  type: string;
  syntax?: string;
  definition?: string;
}

/** A tool of a request that its program executes. */
export interface OfferedTool {
  tool: CalledTool;
  description: string | null;
  /** Of a function. */
  parameters: Record<string, unknown> | null;
  strict: boolean | null;
  /** Of a custom tool. */
  format?: CustomFormat | null;
  /** Where it stands, as `tools[0]`. */
  field: string;
}

/** What a choice names. */
export interface ChosenTool {
  type: string;
  name?: string;
  namespace?: string | null;
}

/**
 * The tools as models are told of them.
 *
 * @throws InvalidParameterError when models would know two of them by one name, and when there are too many
 */
export function toDefinitions(tools: readonly OfferedTool[]): ToolDefinition[] {
  if (tools.length > MOST_FUNCTIONS) {
    throw new InvalidParameterError([
      { field: 'tools', reason: 'too_many_items', values: { maximum: MOST_FUNCTIONS } },
    ]);
  }
  const known = new Map<string, string>();
  return tools.map((offered) => {
    const name = modelToolName(offered.tool);
    const own = JSON.stringify(offered.tool);
    if ((known.get(name) ?? own) !== own) {
      throw new InvalidParameterError([{ field: `${offered.field}.name`, reason: 'duplicate' }]);
    }
    known.set(name, own);
    return { name, ...formOf(offered), ...(isPlain(offered.tool) ? {} : { tool: offered.tool }) };
  });
}

/** A function that models know by its own name. */
export function isPlain({ type, namespace }: CalledTool): boolean {
  return type === 'function' && namespace === undefined;
}

/** The function that a choice means. @throws InvalidParameterError when there is none */
export function chosenName(choice: ChosenTool, tools: readonly ToolDefinition[], field: string): string {
  const [name] = chosenNames(choice, tools);
  if (name === undefined) {
    throw new InvalidParameterError([{ field, reason: 'not_allowed' }]);
  }
  return name;
}

/**
 * A choice among some functions. Others that nothing executes are not missed.
 *
 * @param isIgnored whether a type of tools is left out
 * @throws InvalidParameterError for a name that no tool has; UnsupportedParameterError when one must be called that is left out
 */
export function allowedTools(
  choices: readonly ChosenTool[],
  mode: 'auto' | 'required' | 'none',
  tools: readonly ToolDefinition[],
  field: string,
): ToolChoice {
  const allowed = choices.flatMap((choice, index) => {
    const names = chosenNames(choice, tools);
    if (names.length === 0 && isExecutable(choice)) {
      throw new InvalidParameterError([{ field: `${field}[${index}].name`, reason: 'not_allowed' }]);
    }
    return choice.type === 'namespace' ? names : names.slice(0, 1);
  });
  if (allowed.length === 0 && mode === 'required') {
    throw new UnsupportedParameterError(field);
  }
  return mode === 'none' || allowed.length === 0 ? 'none' : { mode, allowed };
}

/** Whether the program itself does what the tool is for. */
export function isExecutable({ type }: ChosenTool): boolean {
  return type === 'function' || type === 'custom' || type === 'namespace';
}

function chosenNames({ type, name, namespace }: ChosenTool, tools: readonly ToolDefinition[]): string[] {
  const meant = tools.filter((told) => {
    const tool = told.tool ?? { type: 'function', name: told.name };
    if (type === 'namespace') {
      return tool.namespace === name;
    }
    const isNamed = tool.name === name || told.name === name;
    return tool.type === type && isNamed && (tool.namespace === (namespace ?? undefined) || !namespace);
  });
  // Without a namespace a tool outside of any is meant first.
  return [...meant.filter(({ tool }) => tool?.namespace === undefined), ...meant].map((told) => told.name);
}

function formOf({ tool, description, parameters, strict, format }: OfferedTool): Omit<ToolDefinition, 'name'> {
  if (tool.type === 'function') {
    return { description, parameters, strict };
  }
  const form =
    format?.definition === undefined ? '' : ` It follows this ${format.syntax} grammar:\n${format.definition}`;
  const input = { type: 'string', description: `The whole input, as plain text.${form}` };
  const own = { type: 'object', properties: { input }, required: ['input'], additionalProperties: false };
  return { description, parameters: own, strict: null };
}
