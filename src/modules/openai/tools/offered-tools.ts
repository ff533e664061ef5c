import { InvalidParameterError } from '../../../common/errors/validation.errors';
import type { CalledTool, ToolChoice, ToolDefinition } from '../../../integrations/llm/port/message-parts';
import { modelToolName } from '../../generation/generation.api';
import { UnsupportedParameterError } from '../openai.errors';

/** The maximum number of functions in a request, including those of namespaces. */
export const MOST_FUNCTIONS = 512;

/** The format of a custom tool's input. Models receive it, but are not forced to follow it. */
export interface CustomFormat {
  type: string;
  syntax?: string;
  definition?: string;
}

/** A tool of a request that the client runs. */
export interface OfferedTool {
  tool: CalledTool;
  description: string | null;
  /** Only for a function. */
  parameters: Record<string, unknown> | null;
  strict: boolean | null;
  /** Only for a custom tool. */
  format?: CustomFormat | null;
  /** The path, such as `tools[0]`. */
  field: string;
}

/** The tool of a choice. */
export interface ChosenTool {
  type: string;
  name?: string;
  namespace?: string | null;
}

/**
 * The definitions of the tools for the model.
 *
 * @throws InvalidParameterError if two tools get the same name, and if there are too many
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

/** A function whose name in the prompt is its own name. */
export function isPlain({ type, namespace }: CalledTool): boolean {
  return type === 'function' && namespace === undefined;
}

/**
 * The function of a choice.
 *
 * @throws InvalidParameterError if it does not exist
 */
export function chosenName(choice: ChosenTool, tools: readonly ToolDefinition[], field: string): string {
  const [name] = chosenNames(choice, tools);
  if (name === undefined) {
    throw new InvalidParameterError([{ field, reason: 'not_allowed' }]);
  }
  return name;
}

/**
 * A choice among some functions. Ignored tools may be listed too.
 *
 * @param isIgnored whether a tool type is ignored
 * @throws InvalidParameterError for an unknown name; UnsupportedParameterError if the model must call an ignored tool
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

/** Whether the client runs the tool. */
export function isExecutable({ type }: ChosenTool): boolean {
  return type === 'function' || type === 'custom' || type === 'namespace';
}

function chosenNames({ type, name, namespace }: ChosenTool, tools: readonly ToolDefinition[]): string[] {
  const meant = tools.filter((offered) => {
    const tool = offered.tool ?? { type: 'function', name: offered.name };
    if (type === 'namespace') {
      return tool.namespace === name;
    }
    const isNamed = tool.name === name || offered.name === name;
    return tool.type === type && isNamed && (tool.namespace === (namespace ?? undefined) || !namespace);
  });
  // Without a namespace, tools outside of namespaces come first.
  return [...meant.filter(({ tool }) => tool?.namespace === undefined), ...meant].map((tool) => tool.name);
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
