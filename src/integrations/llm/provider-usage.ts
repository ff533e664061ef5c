/** Tokens of one reply as the provider counted them. */
export interface ProviderUsage {
  /** Cached ones included. */
  prompt_tokens: number;
  /** Reasoning included. */
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
}

/** No model takes or makes this many tokens in one reply: a larger number is a fault, and would empty somebody's quota. */
const MAXIMUM_TOKENS = 20_000_000;

/**
 * Checks numbers that came from outside. Zero is a value; a negative, fractional, huge or absent total makes the whole
 * usage missing (null), while a doubtful part (cached, reasoning) only counts as 0.
 */
export function toProviderUsage(reported: Record<keyof ProviderUsage, unknown>): ProviderUsage | null {
  const { prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens } = reported;
  if (!isTokenCount(prompt_tokens) || !isTokenCount(completion_tokens)) {
    return null;
  }
  return {
    prompt_tokens,
    completion_tokens,
    cached_tokens: isTokenCount(cached_tokens) ? Math.min(cached_tokens, prompt_tokens) : 0,
    reasoning_tokens: isTokenCount(reasoning_tokens) ? Math.min(reasoning_tokens, completion_tokens) : 0,
  };
}

function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAXIMUM_TOKENS;
}
