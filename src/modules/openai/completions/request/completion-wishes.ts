import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { ModelParameters } from '../../../../integrations/llm/language-model-provider';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../../integrations/llm/message-parts';
import type { ReplyWishes } from '../../../chat/chat.api';
import { refuseLongJson } from '../../input/item-text';
import type { CompletionRequestBody } from './completion-request.schema';
import type { ResponseFormatInput, ToolChoiceInput, Tools } from './tool.schema';

/**
 * How a client wants its completion written.
 *
 * @throws InvalidParameterError when `tool_choice` names a function that is not among the tools
 */
export function wishesOf(body: CompletionRequestBody): ReplyWishes {
  refuseLongJson(body.tools, 'tools');
  refuseLongJson(body.response_format, 'response_format');
  const tools = (body.tools ?? []).flatMap(toDefinition);
  const toolChoice = choiceOf(body.tool_choice ?? undefined, tools);
  const { parallel_tool_calls: parallelToolCalls, response_format: format } = body;
  return {
    instructions: null,
    parameters: parametersOf(body),
    tools,
    ...(toolChoice !== undefined && { toolChoice }),
    ...(tools.length > 0 && typeof parallelToolCalls === 'boolean' && { parallelToolCalls }),
    ...(format && { responseFormat: toFormat(format) }),
  };
}

function parametersOf(body: CompletionRequestBody): ModelParameters {
  const { temperature, top_p, stop, seed, presence_penalty, frequency_penalty, reasoning_effort } = body;
  const limits = [body.max_tokens, body.max_completion_tokens].filter((limit) => typeof limit === 'number');
  const given = {
    temperature,
    top_p,
    stop: stop?.length === 0 ? undefined : stop,
    seed,
    presence_penalty,
    frequency_penalty,
    reasoning_effort,
    max_tokens: limits.length > 0 ? Math.min(...limits) : undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}

function toDefinition(tool: Tools[number]): ToolDefinition[] {
  if (tool.type !== 'function') {
    return [];
  }
  const { name, description = null, parameters = null, strict = null } = tool.function;
  return [{ name, description, parameters, strict }];
}

function choiceOf(choice: ToolChoiceInput | undefined, tools: ToolDefinition[]): ToolChoice | undefined {
  const names = namesIn(choice);
  if (
    names.some((name) => !tools.some((tool) => tool.name === name)) ||
    (choice === 'required' && tools.length === 0)
  ) {
    throw new InvalidParameterError([{ field: 'tool_choice', reason: 'conflicts' }]);
  }
  if (tools.length === 0 || choice === undefined) {
    return undefined;
  }
  if (typeof choice === 'string') {
    return choice;
  }
  const [name = ''] = names;
  return choice.type === 'allowed_tools' ? { mode: choice.allowed_tools.mode, allowed: names } : { name };
}

function namesIn(choice: ToolChoiceInput | undefined): string[] {
  if (choice === undefined || typeof choice === 'string' || choice.type === 'custom') {
    return [];
  }
  const named = choice.type === 'function' ? [choice] : choice.allowed_tools.tools;
  return named.map((tool) => tool.function.name);
}

function toFormat(format: ResponseFormatInput): ResponseFormat {
  if (format.type !== 'json_schema') {
    return format;
  }
  const { name, description = null, schema, strict = null } = format.json_schema;
  return { type: 'json_schema', name, description, schema: schema ?? {}, strict };
}
