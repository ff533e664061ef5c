import type { Agent } from '../../../agent/agent.api';
import type { ResponseSettings, ToolChoiceResource } from '../wire/response-settings';
import type { ResponseRequest } from './response-request-schema';
import { functionTools } from './response-wishes';

/** What the response repeats of its request. Where the agent has a setting of its own, that one was used. */
export function responseSettings(request: ResponseRequest, model: string, agent: Agent): ResponseSettings {
  const { modelParams: own } = agent;
  const { text, reasoning } = request;
  const limits = [request.max_output_tokens, own.max_tokens, own.max_completion_tokens];
  return {
    model,
    instructions: request.instructions,
    previous_response_id: request.previous_response_id,
    tools: functionTools(request),
    tool_choice: (request.tool_choice as ToolChoiceResource | null | undefined) ?? 'auto',
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    text: { format: textFormat(text?.format), ...(text?.verbosity && { verbosity: text.verbosity }) },
    reasoning: { effort: own.reasoning_effort ?? reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    temperature: own.temperature ?? request.temperature ?? 1,
    top_p: own.top_p ?? request.top_p ?? 1,
    presence_penalty: own.presence_penalty ?? request.presence_penalty ?? 0,
    frequency_penalty: own.frequency_penalty ?? request.frequency_penalty ?? 0,
    max_output_tokens: smallest(limits),
    max_tool_calls: request.max_tool_calls ?? null,
    store: request.store,
    background: request.background,
    metadata: request.metadata,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
  };
}

/** The standard wants `strict` to be told, though a client may leave it open. */
function textFormat(format: NonNullable<ResponseRequest['text']>['format']): ResponseSettings['text']['format'] {
  return format?.type === 'json_schema' ? { ...format, strict: format.strict ?? false } : (format ?? { type: 'text' });
}

function smallest(limits: (number | null | undefined)[]): number | null {
  const given = limits.filter((limit) => limit !== null && limit !== undefined);
  return given.length === 0 ? null : Math.min(...given);
}
