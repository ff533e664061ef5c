/** How many tokens a model read and wrote. Zero is a value; an unknown usage is null. */
export interface TokenUsage {
  /** Tokens of the prompt, cached ones included. */
  prompt: number;
  /** Tokens of the reply, reasoning included. */
  completion: number;
  /** Always `prompt + completion`. */
  total: number;
}

/** What one reply used, in the form that the service stores and returns. */
export interface ReplyTokenUsage extends TokenUsage {
  /** Tokens of the prompt that the provider had cached. */
  cached: number;
  /** Tokens of the reply that the model thought with. */
  reasoning: number;
  /** True when the service counted the tokens, because the provider reported none. */
  isEstimated: boolean;
  /** The model that answered; null when none did. */
  model: string | null;
  /** Tokens of the prompt that the provider wrote into its cache; absent: none, or not known. */
  cacheWrite?: number;
  /** What it cost, as a decimal text; null: there is no price; absent: it was not reckoned, or is not shown. */
  cost?: string | null;
  /** The currency of `cost`. */
  currency?: string;
}

export const NO_USAGE: Readonly<TokenUsage> = { prompt: 0, completion: 0, total: 0 };

export function tokenUsage(prompt: number, completion: number): TokenUsage {
  return { prompt, completion, total: prompt + completion };
}

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    prompt: one.prompt + other.prompt,
    completion: one.completion + other.completion,
    total: one.total + other.total,
  };
}

type TokenParts = Pick<ReplyTokenUsage, 'cached' | 'cacheWrite' | 'reasoning'>;

/** The parts of the tokens that `addUsage` adds. */
export function addParts(one: TokenParts, other: TokenParts): Required<TokenParts> {
  return {
    cached: one.cached + other.cached,
    cacheWrite: (one.cacheWrite ?? 0) + (other.cacheWrite ?? 0),
    reasoning: one.reasoning + other.reasoning,
  };
}
