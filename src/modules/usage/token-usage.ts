/** Tokens of one reply, as it is stored and answered. Zero is a value, not "missing". */
export interface TokenUsage {
  /** Tokens of the prompt, cached ones included. */
  prompt_tokens: number;
  /** Tokens of the reply, reasoning included. */
  completion_tokens: number;
  /** Always `prompt_tokens + completion_tokens`. */
  total_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  /** True when they were counted here, because the provider reported none. */
  is_estimated: boolean;
  /** The model that answered; null when none did. */
  model: string | null;
}
