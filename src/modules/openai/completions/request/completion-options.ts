import type { ModelParameters } from '../../../../integrations/llm/port/language-model-provider';
import type { ResponseFormat } from '../../../../integrations/llm/port/message-parts';
import type { GenerationOptions } from '../../../generation/generation.api';
import { type OfferedTool, toDefinitions } from '../../tools/offered-tools';
import type { CompletionRequestBody } from './completion-request.schema';
import { completionToolChoice } from './completion-tools';
import type { ResponseFormatInput } from './tool.schema';

/**
 * Converts a request to generation options.
 *
 * @param offered the tools that the client runs
 * @param isActing whether the agent has its own tools
 * @throws InvalidParameterError if `tool_choice` names a function that is not among the tools;
 * UnsupportedParameterError
 */
export function optionsOf(
  body: CompletionRequestBody,
  offered: readonly OfferedTool[],
  isActing: boolean,
): GenerationOptions {
  const tools = toDefinitions(offered);
  const toolChoice = completionToolChoice(body.tool_choice ?? undefined, tools, isActing);
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
  const { temperature, top_p, stop, seed, presence_penalty, frequency_penalty, reasoning_effort, verbosity } = body;
  const limits = [body.max_tokens, body.max_completion_tokens].filter((limit) => typeof limit === 'number');
  const given = {
    temperature,
    top_p,
    stop: stop?.length === 0 ? undefined : stop,
    seed,
    presence_penalty,
    frequency_penalty,
    reasoning_effort,
    verbosity,
    max_tokens: limits.length > 0 ? Math.min(...limits) : undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}

function toFormat(format: ResponseFormatInput): ResponseFormat {
  if (format.type !== 'json_schema') {
    return format;
  }
  const { name, description = null, schema, strict = null } = format.json_schema;
  return { type: 'json_schema', name, description, schema: schema ?? {}, strict };
}
