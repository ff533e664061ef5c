import { UnsupportedParameterError } from '../../openai.errors';
import type { CompletionRequestBody } from './completion-request.schema';

/**
 * Refuses unsupported parameters that would change the answer. Other parameters are ignored.
 *
 * @throws UnsupportedParameterError
 */
export function refuseUnsupportedFields(body: CompletionRequestBody): void {
  const { messages } = body;
  const [field] = [
    (body.n ?? 1) > 1 && 'n',
    body.logprobs === true && 'logprobs',
    (body.top_logprobs ?? 0) > 0 && 'top_logprobs',
    Object.keys(body.logit_bias ?? {}).length > 0 && 'logit_bias',
    body.modalities?.includes('audio') === true && 'modalities',
    ...(['audio', 'web_search_options', 'functions', 'function_call'] as const).map(
      (name) => isGiven(body[name]) && name,
    ),
    ...messages.flatMap((message, index) => unsupportedIn(message, `messages[${index}]`)),
  ].filter((found) => found !== false);
  if (field !== undefined) {
    throw new UnsupportedParameterError(field);
  }
}

function unsupportedIn(message: CompletionRequestBody['messages'][number], field: string): string[] {
  if (message.role === 'assistant') {
    return isGiven(message.function_call) ? [`${field}.function_call`] : [];
  }
  if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') {
    return [];
  }
  return message.content.flatMap((part, index) => {
    const place = `${field}.content[${index}]`;
    if (part.type === 'input_audio') {
      return [`${place}.input_audio`];
    }
    return [];
  });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
