/** Tokens of one reply as the provider counted them. */
export interface ProviderUsage {
  /** Cached ones included. */
  prompt_tokens: number;
  /** Reasoning included. */
  completion_tokens: number;
  cached_tokens: number;
  /** Tokens of the prompt that the provider wrote into its cache; never those that it had there. */
  cache_write_tokens: number;
  reasoning_tokens: number;
}

/** No model uses this many tokens for one reply: a larger number is an error and would empty a user's quota. */
const MAXIMUM_TOKENS = 20_000_000;

/**
 * Checks the numbers of a provider. Zero is a value. If a total is negative, fractional, huge or absent, the whole usage is
 * missing (null); if a part (cached, written, reasoning) is, the part counts as 0.
 */
export function toProviderUsage(reported: Record<keyof ProviderUsage, unknown>): ProviderUsage | null {
  const { prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens } = reported;
  if (!isTokenCount(prompt_tokens) || !isTokenCount(completion_tokens)) {
    return null;
  }
  const cached = isTokenCount(cached_tokens) ? Math.min(cached_tokens, prompt_tokens) : 0;
  return {
    prompt_tokens,
    completion_tokens,
    cached_tokens: cached,
    cache_write_tokens: isTokenCount(cache_write_tokens) ? Math.min(cache_write_tokens, prompt_tokens - cached) : 0,
    reasoning_tokens: isTokenCount(reasoning_tokens) ? Math.min(reasoning_tokens, completion_tokens) : 0,
  };
}

function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAXIMUM_TOKENS;
}
