import { type ReplyTokenUsage, tokenUsage } from '../../../common/token-usage';

/** Tokens of one reply as the provider counted them. */
export interface ProviderUsage {
  /** Including cached ones. */
  prompt_tokens: number;
  /** Including reasoning. */
  completion_tokens: number;
  cached_tokens: number;
  /** Prompt tokens that the provider wrote into its cache, not those that were there already. */
  cache_write_tokens: number;
  reasoning_tokens: number;
  /** The part of `cache_write_tokens` that the provider keeps for an hour. Absent: none, or unknown. */
  cache_write_1h_tokens?: number;
  /** Web searches that the provider made. Absent: none. */
  web_searches?: number;
  /** What prices append to the model's name, such as `@fast`. Absent: the base tariff. */
  tariff?: string;
}

/** One request to a model, with the known facts about its cost. It changes while the request runs. */
export interface CalledModel {
  /** The provider's name. */
  readonly provider: string;
  /** The model's name as requested. */
  readonly model: string;
  /** Images in its prompt. */
  readonly images: number;
  /**
   * Whether the provider accepted it: it answered with success, or was aborted because it took too long. Refused
   * requests are free.
   */
  isTaken: boolean;
  /** Whether it failed before its first token, so that another request may follow. */
  hasFailed: boolean;
  /** The usage that the provider has reported so far, which may be incomplete; null: none. */
  usage: ProviderUsage | null;
  /** The model that answered, by its own name; null if it has not named itself. */
  answered: string | null;
  /** When it began, by `performance.now()`. */
  readonly startedAt: number;
  /** When its first token arrived, by `performance.now()`; null: none has. */
  firstAt: number | null;
  /** When it ended, by `performance.now()`; null: it has not. */
  endedAt: number | null;
  /** Why it ended without an answer; null: it has not, or the caller aborted it. */
  failure: CallFailure | null;
  /** Whether the caller aborted it. */
  isCut: boolean;
  /** The provider's id of the answer; absent: it has named none. */
  answerId?: string;
  /** The span of the request; absent: it is not traced. */
  spanId?: string;
}

/** Why a request to a model failed. */
export interface CallFailure {
  /** The service's error code. */
  code: string;
  /** HTTP status of the provider's response; null: there was none. */
  status: number | null;
  /** The provider's message without keys, or the connection's error; for administrators. */
  message: string | null;
  /** The parameter or feature that the model refused, which is not sent from then on; null: none. */
  refused: string | null;
}

/** A request of which nothing is known yet. */
export function newCalledModel(facts: Pick<CalledModel, 'provider' | 'model' | 'images'>): CalledModel {
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

/** A provider's counts in the service's form. */
export function toReplyUsage(usage: ProviderUsage): Omit<ReplyTokenUsage, 'isEstimated' | 'model'> {
  return {
    ...tokenUsage(usage.prompt_tokens, usage.completion_tokens),
    cached: usage.cached_tokens,
    cacheWrite: usage.cache_write_tokens,
    reasoning: usage.reasoning_tokens,
    ...(usage.cache_write_1h_tokens !== undefined && { cacheWrite1h: usage.cache_write_1h_tokens }),
    ...(usage.web_searches !== undefined && { webSearches: usage.web_searches }),
    ...(usage.tariff !== undefined && { tariff: usage.tariff }),
  };
}
