import { InvalidParameterError } from '../../../../common/errors/validation.errors';
import type { ModelParameters } from '../../../../integrations/llm/language-model-provider';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../../integrations/llm/message-parts';
import type { ReplyWishes } from '../../../chat/chat.api';
import { refuseLongJson } from '../../input/item-text';
import { UnsupportedParameterError } from '../../openai.errors';
import type { FunctionTool, ResponseRequest, TextFormat, ToolChoiceRequest } from './response-request-schema';

/**
 * What a request wants of the model.
 *
 * @throws UnsupportedParameterError for what would give a wrong answer when it were ignored
 */
export function responseWishes(request: ResponseRequest): ReplyWishes {
  refuseUnsupported(request);
  const tools = functionTools(request);
  refuseLongJson(tools, 'tools');
  refuseLongJson(request.text?.format, 'text.format');
  return {
    instructions: request.instructions,
    parameters: parametersOf(request),
    tools: tools.map(({ type: _type, ...definition }): ToolDefinition => definition),
    ...(request.tool_choice && { toolChoice: toolChoiceOf(request.tool_choice, tools) }),
    ...(typeof request.parallel_tool_calls === 'boolean' && { parallelToolCalls: request.parallel_tool_calls }),
    ...(request.text?.format && { responseFormat: responseFormatOf(request.text.format) }),
    ...(request.truncation === 'disabled' && { isWhole: true }),
  };
}

/** The functions of a request. @throws UnsupportedParameterError for tools of another kind. */
export function functionTools({ tools }: ResponseRequest): FunctionTool[] {
  return tools.map((tool, index) => {
    if (!('name' in tool)) {
      throw new UnsupportedParameterError(`tools[${index}].type`);
    }
    return tool;
  });
}

function refuseUnsupported({ prompt, top_logprobs, include, background, store }: ResponseRequest): void {
  if (prompt !== null && prompt !== undefined) {
    throw new UnsupportedParameterError('prompt');
  }
  if (typeof top_logprobs === 'number' && top_logprobs > 0) {
    throw new UnsupportedParameterError('top_logprobs');
  }
  const logprobs = include.indexOf('message.output_text.logprobs');
  if (logprobs >= 0) {
    throw new UnsupportedParameterError(`include[${logprobs}]`);
  }
  if (background && !store) {
    throw new UnsupportedParameterError('background');
  }
}

function parametersOf(request: ResponseRequest): ModelParameters {
  const { temperature, top_p, presence_penalty, frequency_penalty, max_output_tokens: max_tokens } = request;
  const { reasoning, text } = request;
  const given = { temperature, top_p, presence_penalty, frequency_penalty, max_tokens };
  return Object.fromEntries(
    Object.entries({ ...given, reasoning_effort: reasoning?.effort, verbosity: text?.verbosity }).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );
}

/** A choice may only name functions of this request. */
function toolChoiceOf(choice: ToolChoiceRequest, tools: FunctionTool[]): ToolChoice {
  if (typeof choice === 'string') {
    if (choice === 'required' && tools.length === 0) {
      throw new InvalidParameterError([{ field: 'tools', reason: 'required' }]);
    }
    return choice;
  }
  if ('tools' in choice) {
    const allowed = choice.tools.map(({ name }, index) => known(name, tools, `tool_choice.tools.${index}.name`));
    return choice.mode === 'none' ? 'none' : { mode: choice.mode, allowed };
  }
  if ('name' in choice) {
    return { name: known(choice.name, tools, 'tool_choice.name') };
  }
  throw new UnsupportedParameterError('tool_choice.type');
}

function known(name: string, tools: FunctionTool[], field: string): string {
  if (!tools.some((tool) => tool.name === name)) {
    throw new InvalidParameterError([{ field, reason: 'not_allowed' }]);
  }
  return name;
}

function responseFormatOf(format: TextFormat): ResponseFormat {
  return format;
}
