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
