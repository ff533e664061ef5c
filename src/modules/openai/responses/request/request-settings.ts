import type { ModelParameters } from '../../../../integrations/llm/port/language-model-provider';
import type { ResponseSettings, ToolChoiceResource, ToolResource } from '../wire/response-settings';
import type { ResponseRequest } from './response-request-schema';

/**
 * What the response repeats of its request. Of settings it shows what was used: the agent's own where it has any, and none
 * that the model does not take.
 *
 * @param sent what the model is sent
 */
export function responseSettings(
  request: ResponseRequest,
  model: string,
  sent: ModelParameters,
  tools: ToolResource[],
): ResponseSettings {
  const { text, reasoning } = request;
  const told = {
    model,
    instructions: request.instructions,
    previous_response_id: request.previous_response_id,
    tools,
    tool_choice: (request.tool_choice as ToolChoiceResource | null | undefined) ?? 'auto',
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    text: { format: textFormat(text?.format) },
    // Who says nothing of reasoning gets it: programs of OpenAI cannot ask for it unless they know the model by its name.
    reasoning: { effort: null, summary: reasoning ? reasoning.summary : 'auto' },
    // Those of the agent have limits of their own.
    max_tool_calls: null,
    truncation: request.truncation ?? 'auto',
    store: request.store,
    background: request.background,
    metadata: request.metadata,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
  };
  return withSent(told, sent);
}

/** The same when more is known of what the model is sent. */
export function withSent(settings: Omit<ResponseSettings, SentName>, sent: ModelParameters): ResponseSettings {
  const verbosity = sent.verbosity as ResponseSettings['text']['verbosity'];
  return {
    ...settings,
    text: { format: settings.text.format, ...(verbosity && { verbosity }) },
    reasoning: { effort: sent.reasoning_effort ?? null, summary: settings.reasoning?.summary ?? null },
    temperature: sent.temperature ?? 1,
    top_p: sent.top_p ?? 1,
    presence_penalty: sent.presence_penalty ?? 0,
    frequency_penalty: sent.frequency_penalty ?? 0,
    max_output_tokens: sent.max_tokens ?? sent.max_completion_tokens ?? null,
  };
}

type SentName = 'temperature' | 'top_p' | 'presence_penalty' | 'frequency_penalty' | 'max_output_tokens';

/** The standard wants `strict` to be told, though a client may leave it open. */
function textFormat(format: NonNullable<ResponseRequest['text']>['format']): ResponseSettings['text']['format'] {
  return format?.type === 'json_schema' ? { ...format, strict: format.strict ?? false } : (format ?? { type: 'text' });
}
