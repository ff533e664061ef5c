import { type ReplyTokenUsage, tokenUsage } from '../../../common/token-usage';

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

/** One request to a model, with what is known of what it costs. It changes while the request runs. */
export interface AskedModel {
  /** The provider's name. */
  readonly provider: string;
  /** The model's name as it was asked. */
  readonly model: string;
  /** Images of its prompt. */
  readonly images: number;
  /** Whether the provider took it: it answered with success, or was left because it took too long. What it refuses is free. */
  isTaken: boolean;
  /** Whether it failed before its first word: another request may follow. */
  hasFailed: boolean;
  /** What the provider has told so far, which may be less than the whole; null: nothing. */
  usage: ProviderUsage | null;
  /** The model that answered, by its own name; null: it has not said it. */
  answered: string | null;
  /** When it began, by `performance.now()`. */
  readonly startedAt: number;
  /** When its first word came, by `performance.now()`; null: none has. */
  firstAt: number | null;
  /** When it ended, by `performance.now()`; null: it has not. */
  endedAt: number | null;
  /** Why it ended without an answer; null: it has not, or whoever asked has ended it. */
  failure: AskedFailure | null;
  /** Whether whoever asked has ended it. */
  isCut: boolean;
}

/** Why a request to a model failed. */
export interface AskedFailure {
  /** The code of our error. */
  code: string;
  /** HTTP status of the provider's answer; null: there was none. */
  status: number | null;
  /** The provider's sentence without keys, or the connection's error; for administrators. */
  message: string | null;
  /** What the model refused, a parameter or a feature, and is not sent from then on; null: nothing. */
  refused: string | null;
}

/** A request as it is before anything is known of it. */
export function newlyAsked(facts: Pick<AskedModel, 'provider' | 'model' | 'images'>): AskedModel {
  return {
    ...facts,
    isTaken: false,
    hasFailed: false,
    usage: null,
    answered: null,
    startedAt: performance.now(),
    firstAt: null,
    endedAt: null,
    failure: null,
    isCut: false,
  };
}

/** What a provider counted, in the words of the service. */
export function toReplyUsage(usage: ProviderUsage): Omit<ReplyTokenUsage, 'isEstimated' | 'model'> {
  return {
    ...tokenUsage(usage.prompt_tokens, usage.completion_tokens),
    cached: usage.cached_tokens,
    cacheWrite: usage.cache_write_tokens,
    reasoning: usage.reasoning_tokens,
  };
}
