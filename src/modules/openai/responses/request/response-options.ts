import type { ModelParameters } from '../../../../integrations/llm/port/language-model-provider';
import type { ResponseFormat } from '../../../../integrations/llm/port/message-parts';
import type { CompactionOption, GenerationOptions } from '../../../generation/generation.api';
import { refuseLongJson } from '../../input/item-text';
import { UnsupportedParameterError } from '../../openai.errors';
import type { OwnTool } from '../../tools/acting-tools';
import type { ToolResource } from '../wire/response-settings';
import { definitionsOf, responseToolChoice } from './request-tools';
import type { ResponseRequest, TextFormat } from './response-request-schema';

/**
 * Converts a request to generation options.
 *
 * @param kept its tools without ignored ones
 * @param own the tools of the agent
 * @throws UnsupportedParameterError for a parameter whose omission would give a wrong answer
 */
export function responseOptions(
  request: ResponseRequest,
  kept: readonly ToolResource[],
  own: readonly OwnTool[],
): GenerationOptions {
  const tools = definitionsOf(kept);
  const compaction = compactionOf(request);
  return {
    instructions: request.instructions,
    parameters: parametersOf(request),
    tools,
    ...(request.tool_choice && {
      toolChoice: responseToolChoice(request.tool_choice, tools, own, kept.some(isFileSearch)),
    }),
    ...(typeof request.parallel_tool_calls === 'boolean' && { parallelToolCalls: request.parallel_tool_calls }),
    ...(request.text?.format && { responseFormat: responseFormatOf(request.text.format) }),
    ...(request.truncation === 'disabled' && { isWhole: true }),
    ...(compaction !== undefined && { compaction }),
  };
}

function isFileSearch({ type }: ToolResource): boolean {
  return type === 'file_search';
}

/** Whether the request only compacts the conversation. */
export function isCompactionRequest({ input }: Pick<ResponseRequest, 'input'>): boolean {
  return Array.isArray(input) && input.some((item) => 'type' in item && item.type === 'compaction_trigger');
}

function compactionOf(request: ResponseRequest): CompactionOption | undefined {
  const entry = request.context_management?.find(({ type }) => type === 'compaction');
  return isCompactionRequest(request) ? 'only' : (entry?.compact_threshold ?? undefined);
}

/**
 * Runs before any lookup.
 *
 * @throws UnsupportedParameterError, InvalidParameterError if the schema is too long
 */
export function refuseUnsupported(request: ResponseRequest): void {
  const { prompt, top_logprobs, include, background, store } = request;
  refuseLongJson(request.text?.format, 'text.format');
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

function responseFormatOf(format: TextFormat): ResponseFormat {
  return format;
}
