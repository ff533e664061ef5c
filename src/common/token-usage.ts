/** How many tokens a model read and wrote. Zero is a value; an unknown usage is null. */
export interface TokenUsage {
  /** Prompt tokens, including cached ones. */
  prompt: number;
  /** Reply tokens, including reasoning. */
  completion: number;
  /** Always `prompt + completion`. */
  total: number;
}

/** The tokens of one reply, in the form that the service stores and returns. */
export interface ReplyTokenUsage extends TokenUsage {
  /** Prompt tokens that the provider had cached. */
  cached: number;
  /** Reply tokens that the model used for reasoning. */
  reasoning: number;
  /** True if the service counted the tokens, because the provider reported none. */
  isEstimated: boolean;
  /** The model that answered; null if none did. */
  model: string | null;
  /** Prompt tokens that the provider wrote into its cache; absent if none or unknown. */
  cacheWrite?: number;
  /** The part of `cacheWrite` that the provider keeps for an hour; absent if none or unknown. */
  cacheWrite1h?: number;
  /** Web searches that the provider made; absent if none. */
  webSearches?: number;
  /** What prices append to the model's name, such as `@fast`; absent for the base tariff. */
  tariff?: string;
  /** Cost as a decimal text; null if there is no price; absent if it was not calculated or is not shown. */
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
