import type { ReplyTokenUsage } from '../../../../common/token-usage';

/** The usage of `message_delta`. Fields that only Anthropic's own models fill are null. */
export interface DeltaUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number };
  server_tool_use: null;
}

/** The usage of a message. */
export interface MessageUsage extends DeltaUsage {
  cache_creation: null;
  inference_geo: null;
  service_tier: null;
  speed: null;
}

type CountedTokens = Pick<ReplyTokenUsage, 'prompt' | 'completion' | 'cached' | 'cacheWrite' | 'reasoning'>;

const NOTHING: CountedTokens = { prompt: 0, completion: 0, cached: 0, reasoning: 0 };

/** Anthropic's `input_tokens` exclude tokens that were read from or written into a cache. @param usage null: none */
export function toDeltaUsage(usage: CountedTokens | null): DeltaUsage {
  const { prompt, completion, cached, cacheWrite = 0, reasoning } = usage ?? NOTHING;
  return {
    input_tokens: Math.max(0, prompt - cached - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cached,
    output_tokens: completion,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: null,
  };
}

export function toMessageUsage(usage: CountedTokens | null): MessageUsage {
  return { ...toDeltaUsage(usage), cache_creation: null, inference_geo: null, service_tier: null, speed: null };
}

/** The usage at the start of a message, when only the prompt is known. @param promptTokens counted by the service */
export function usageAtStart(promptTokens: number): MessageUsage {
  return toMessageUsage({ ...NOTHING, prompt: promptTokens });
}
