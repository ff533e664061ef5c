import { type ParameterAdjustments } from './generation/parameter-adjustment';

/** One turn of the conversation sent to a model. */
export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** Sampling settings in the field's usual names; an adapter leaves out what its provider does not know. */
export interface ModelParameters {
  temperature?: number;
  top_p?: number;
  top_k?: number;
  max_tokens?: number;
  max_completion_tokens?: number;
  stop?: string | string[];
  seed?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  reasoning_effort?: string;
}

export interface CompletionRequest {
  /** null: the provider's default model. */
  model: string | null;
  messages: ModelMessage[];
  parameters: ModelParameters;
  /** Language code in which the reply is wanted; network providers are told by the system message, so only `demo` reads it. */
  language?: string;
  /** What the model is known to refuse; an adapter applies it to the body that it sends. */
  adjustments?: ParameterAdjustments;
}

/** Receives a reply while it is produced. All methods are called synchronously as the provider's data arrives. */
export interface CompletionListener {
  /** One provider token or a few; never empty, always well-formed UTF-16, so a surrogate pair is never split over two calls. */
  onText(text: string): void;
  /** A piece of what the model thinks, as well-formed as text is; never part of the reply. */
  onReasoning?(text: string): void;
  /** The model is at work without anything to show; counts as a token for the time limits, as text and reasoning do. */
  onActivity?(): void;
}

export type CompletionFinishReason = 'stop' | 'length' | 'content_filter';

export interface CompletionResult {
  finishReason: CompletionFinishReason;
  /** null: the provider reported none, or numbers that cannot be true. */
  usage: ProviderUsage | null;
  /** The model that answered, as the provider names it. */
  model: string;
}

/**
 * A service that completes conversations. It pushes text to a listener because a reply never depends on a reader, and
 * because pulling costs a promise per token. An adapter does one attempt: time limits, retries, fallback and the
 * circuit breaker are the work of `LanguageModels`. Every adapter must pass `test/contract/llm-provider.contract.spec.ts`.
 */
export abstract class LanguageModelProvider {
  /** The name agents use. */
  abstract readonly name: string;
  /** Whether its definition holds what this provider needs. */
  abstract readonly isConfigured: boolean;
  /** Host and port it is asked at, for the log and administrators; null without a network. */
  readonly host: string | null = null;
  /** The model used when a request names none; null if the configuration names none either. */
  abstract readonly defaultModel: string | null;
  /** Address of its API: what is learned of a model holds for this address alone. */
  readonly address: string | null = null;

  /**
   * Streams one reply.
   *
   * @throws GenerationAbortedError at once when `signal` aborts; the provider's connection is closed with it.
   * @throws ModelProviderError for every failure of the provider.
   */
  abstract complete(
    request: CompletionRequest,
    listener: CompletionListener,
    signal: AbortSignal,
  ): Promise<CompletionResult>;

  /**
   * The models that the provider itself lists.
   *
   * @throws ModelProviderError
   */
  listModels(_signal: AbortSignal): Promise<string[]> {
    return Promise.resolve(this.defaultModel === null ? [] : [this.defaultModel]);
  }

  /** Takes no further reply; resolves when the running ones have ended. */
  retire(): Promise<void> {
    return Promise.resolve();
  }

  /** Cuts what still runs. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

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
