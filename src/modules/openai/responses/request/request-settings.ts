import type { ModelParameters } from '../../../../integrations/llm/port/language-model-provider';
import type { ResponseSettings, ToolChoiceResource, ToolResource } from '../wire/response-settings';
import type { ResponseRequest } from './response-request-schema';

/**
 * The request settings that the response repeats. They are the values actually used: the agent's own if it has any,
 * without parameters that the model does not accept.
 *
 * @param sent the parameters sent to the model
 */
export function toResponseSettings(
  request: ResponseRequest,
  model: string,
  sent: ModelParameters,
  tools: ToolResource[],
): ResponseSettings {
  const { text, reasoning } = request;
  const used = {
    model,
    instructions: request.instructions,
    previous_response_id: request.previous_response_id,
    tools,
    tool_choice: (request.tool_choice as ToolChoiceResource | null | undefined) ?? 'auto',
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    text: { format: textFormat(text?.format) },
    // Requests without `reasoning` get a summary, because OpenAI's clients cannot request one for a model that they do
    // not know.
    reasoning: { effort: null, summary: reasoning ? reasoning.summary : 'auto' },
    // The agent's tools have their own limits.
    max_tool_calls: null,
    truncation: request.truncation ?? 'auto',
    store: request.store,
    background: request.background,
    metadata: request.metadata,
    user: request.user,
    safety_identifier: request.safety_identifier,
    prompt_cache_key: request.prompt_cache_key,
  };
  return withSent(used, sent);
}

/** Updates the settings when the parameters sent to the model are known better. */
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

/** The specification requires `strict` in a response, although a request may omit it. */
function textFormat(format: NonNullable<ResponseRequest['text']>['format']): ResponseSettings['text']['format'] {
  return format?.type === 'json_schema' ? { ...format, strict: format.strict ?? false } : (format ?? { type: 'text' });
}
