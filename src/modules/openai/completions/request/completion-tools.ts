import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { ToolChoice, ToolDefinition } from '../../../../integrations/llm/port/message-parts';
import { refuseLongJson } from '../../input/item-text';
import { UnsupportedParameterError } from '../../openai.errors';
import type { IgnoredTools } from '../../tools/ignored-tools';
import { allowedTools, chosenName, type ChosenTool, type OfferedTool } from '../../tools/offered-tools';
import type { ToolChoiceInput, Tools } from './tool.schema';

type Tool = Tools[number];
type Executable = Extract<Tool, { function: unknown } | { custom: unknown }>;

/**
 * The tools of a request that the client runs, without unsupported types.
 *
 * @throws UnsupportedParameterError if unsupported types are refused; InvalidParameterError if the tools are too long
 */
export function readTools(tools: Tools, ignored: IgnoredTools): OfferedTool[] {
  refuseLongJson(tools, 'tools');
  return tools.flatMap((tool, index) => {
    const field = `tools[${index}]`;
    return 'tools' in tool
      ? tool.tools.flatMap((inner, place) => offered(inner, `${field}.tools[${place}]`, ignored, tool.name))
      : offered(tool, field, ignored);
  });
}

/**
 * A choice may only name tools of its request.
 *
 * @param isActing whether the agent has its own tools
 * @throws InvalidParameterError, UnsupportedParameterError
 */
export function completionToolChoice(
  choice: ToolChoiceInput | undefined,
  tools: ToolDefinition[],
  isActing: boolean,
): ToolChoice | undefined {
  if (choice === undefined || typeof choice === 'string') {
    const hasTools = isActing || tools.length > 0;
    if (choice === 'required' && !hasTools) {
      throw new InvalidParameterError([{ field: 'tool_choice', reason: 'conflicts' }]);
    }
    return hasTools ? choice : undefined;
  }
  if ('allowed_tools' in choice) {
    const { mode, tools: allowed } = choice.allowed_tools;
    return allowedTools(allowed.map(chosen), mode, tools, 'tool_choice.allowed_tools.tools');
  }
  const named = chosen(choice);
  if (named.name === undefined) {
    throw new UnsupportedParameterError('tool_choice.type');
  }
  return { name: chosenName(named, tools, 'tool_choice') };
}

function offered(
  tool: Executable | { type: string },
  field: string,
  ignored: IgnoredTools,
  namespace?: string,
): OfferedTool[] {
  const group = namespace !== undefined && { namespace };
  if ('function' in tool) {
    const { name, description = null, parameters = null, strict = null } = tool.function;
    const called = { type: 'function' as const, name, ...group };
    return [{ tool: called, description, parameters, strict, field: `${field}.function` }];
  }
  if ('custom' in tool) {
    const { name, description = null, format } = tool.custom;
    const called = { type: 'custom' as const, name, ...group };
    const form = format && { type: format.type, ...format.grammar };
    return [{ tool: called, description, parameters: null, strict: null, format: form, field: `${field}.custom` }];
  }
  ignored.add(tool, field);
  return [];
}

function chosen(choice: { type: string; function?: object; custom?: object }): ChosenTool {
  return { type: choice.type, ...choice.function, ...choice.custom };
}
