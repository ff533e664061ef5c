import type { AnthropicRequest } from './anthropic-request';
import type { CalledModel, ProviderUsage } from './called-model';
import type { EmbeddingRequest, EmbeddingResult } from './embedding';
import { ProviderUnavailableError } from './llm.errors';
import type { MessagePart, ModelFeature, ResponseFormat, ToolChoice, ToolDefinition } from './message-parts';
import type { ParameterAdjustments } from './parameter-adjustment';
import type { RelayedAnswer, RelayRequest } from './relay';
import { neededFeatures, type RequestContent } from './request-features';

/** One turn of the conversation sent to a model. */
export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  /** Its text, without other parts. */
  content: string;
  /** All its parts in order, including the text; absent if it is only text. */
  parts?: readonly MessagePart[];
  /** It contains a summary of earlier messages, and is dropped only if it does not fit itself. */
  hasSummary?: true;
}

/** Sampling settings by their common names. An adapter omits those that its provider does not support. */
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
  /** `low`, `medium` or `high`: how detailed the reply is. */
  verbosity?: string;
}

export interface CompletionRequest {
  /** null: the provider's default model. */
  model: string | null;
  messages: ModelMessage[];
  parameters: ModelParameters;
  /** Functions that the model may call; absent: none. */
  tools?: readonly ToolDefinition[];
  /** Absent: the provider's default, which is `auto`. */
  toolChoice?: ToolChoice;
  /** Whether the model may call several functions at once; absent: the provider decides. */
  parallelToolCalls?: boolean;
  /** Absent: text. */
  responseFormat?: ResponseFormat;
  /** Whether no message may be dropped, so that a prompt that is too long fails; absent: old ones may be dropped. */
  isWhole?: boolean;
  /** Code of the reply's language. Only `demo` reads it: network providers get it in the system message. */
  language?: string;
  /** Changes that this model needs. An adapter applies them to the body that it sends. */
  adjustments?: ParameterAdjustments;
  /** The same request in Anthropic's format; absent: the client used another API. */
  anthropic?: AnthropicRequest;
  /** Turns in Anthropic's format that follow those of `anthropic`: earlier rounds of the reply; absent: none. */
  anthropicTurns?: readonly object[];
  /** The header with which the provider continues the trace; absent: the request is not traced. */
  traceparent?: string | undefined;
}

/** Receives a reply while it is generated. All methods are called synchronously as the provider's data arrives. */
export interface CompletionListener {
  /** One token or a few: never empty, always well-formed UTF-16. No surrogate pair is split over two calls. */
  onText(text: string): void;
  /** A piece of the model's reasoning, well-formed too; never part of the reply. */
  onReasoning?(text: string): void;
  /** All text so far was reasoning, because the model marked only its end. Text that was already shown stays. */
  onTextWasReasoning?(): void;
  /**
   * The model starts to call a function. A listener without this method accepts no calls: a reply that only calls a
   * function then fails.
   *
   * @param index counts the calls of one reply, from 0
   */
  onToolCall?(index: number, call: { id: string; name: string }): void;
  /** A piece of the arguments of a started call; never empty, well-formed. */
  onToolArguments?(index: number, text: string): void;
  /** An event of the provider, as text, before what it means; only for a request with `anthropic`. */
  onEvent?(event: string): void;
  /**
   * A request has failed before the first token. Another request waits for the result.
   *
   * @returns false if no other request may be made
   */
  onRepeat?(): Promise<boolean>;
  /**
   * A model is being called: from here on it may read the prompt, and cost something. `asked` is updated as facts
   * become known.
   */
  onCall?(called: CalledModel): void;
  /** The provider accepted the request: it answered with success. */
  onAnswered?(): void;
  /** The provider's id of the answer. */
  onAnswerId?(id: string): void;
  /** The usage that the provider has reported so far. The end may never arrive. */
  onUsage?(usage: ProviderUsage): void;
  /** The current model has failed. Another model may be called next. */
  onFailed?(): void;
  /** A request has failed before the first token, and another one will follow. */
  onRetry?(): void;
  /** The model works but has no output yet. For the time limits this counts like a token. */
  onActivity?(): void;
}

export type CompletionFinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

export interface CompletionResult {
  finishReason: CompletionFinishReason;
  /** null: the provider reported none, or invalid numbers. */
  usage: ProviderUsage | null;
  /** The model that answered, as the provider names it. */
  model: string;
}

/**
 * A service that completes conversations. It pushes text to a listener: a reply does not depend on a reader, and
 * pulling would cost a promise per token. An adapter makes one request; `LanguageModels` adds time limits, retries,
 * fallbacks and the circuit breaker. Every adapter must pass `test/contract/llm-provider.contract.spec.ts`.
 */
export abstract class LanguageModelProvider {
  /** The name that agents use. */
  abstract readonly name: string;
  /** Whether the definition has all that this provider needs. */
  abstract readonly isConfigured: boolean;
  /** The kind of its definition; null: none. */
  readonly kind: string | null = null;
  /** Host and port of its address, for the log and administrators; null without a network. */
  readonly host: string | null = null;
  /** The model used if a request names none; null if the configuration names none either. */
  abstract readonly defaultModel: string | null;
  /** Features that its requests may use. Each model may still refuse some. */
  readonly features: ReadonlySet<ModelFeature> = new Set(['tools', 'images', 'files', 'response_format']);
  /** Settings that it passes on; null: all. Each model may still refuse some. */
  readonly parameters: ReadonlySet<keyof ModelParameters> | null = null;
  /** Whether it can embed texts. */
  readonly canEmbed: boolean = false;
  /** Address of its API. Facts about a model hold for this address only. */
  readonly address: string | null = null;

  /**
   * A feature of the request that no model of this provider supports; null: none. Checked before the request is sent.
   */
  missingFeature(request: RequestContent): ModelFeature | null {
    return neededFeatures(request).find((feature) => !this.features.has(feature)) ?? null;
  }

  /**
   * Streams one reply.
   *
   * @throws GenerationAbortedError immediately when `signal` aborts; the provider's connection is closed with it
   * @throws ModelProviderError for every failure of the provider
   */
  abstract complete(
    request: CompletionRequest,
    listener: CompletionListener,
    signal: AbortSignal,
  ): Promise<CompletionResult>;

  /**
   * Embeds texts, in one attempt.
   *
   * @throws ModelProviderError if the request was definitely not executed; EmbeddingLostError if that is unknown;
   * EmbeddingAnswerError
   */
  embed(_request: EmbeddingRequest, _signal: AbortSignal): Promise<EmbeddingResult> {
    return Promise.reject(new ProviderUnavailableError());
  }

  /**
   * The models that the provider itself lists.
   *
   * @throws ModelProviderError
   */
  listModels(_signal: AbortSignal): Promise<string[]> {
    return Promise.resolve(this.defaultModel === null ? [] : [this.defaultModel]);
  }

  /**
   * Relays a request byte for byte. Only providers with Anthropic's API can.
   *
   * @throws ModelProviderError, also a ProviderRefusalError
   */
  relay(_request: RelayRequest, _signal: AbortSignal): Promise<RelayedAnswer> {
    return Promise.reject(new ProviderUnavailableError());
  }

  /** Accepts no new replies. Resolves when the running ones have ended. */
  retire(): Promise<void> {
    return Promise.resolve();
  }

  /** Ends the running replies. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** No model uses this many tokens for one reply. A larger number is an error and would use up a user's quota. */
const MAXIMUM_TOKENS = 20_000_000;

/** The optional parts of a usage. */
type UsageExtras = Pick<ProviderUsage, 'cache_write_1h_tokens' | 'web_searches' | 'tariff'>;

/** A usage as a provider reports it. */
type ReportedUsage = Record<Exclude<keyof ProviderUsage, keyof UsageExtras>, unknown> & {
  cache_write_1h_tokens?: unknown;
  web_searches?: unknown;
  tariff?: string;
};

/**
 * Validates the numbers of a provider. Zero is a value. If a total is negative, fractional, huge or absent, the whole
 * usage is missing (null). If a part (cached, written, reasoning) is invalid, it counts as 0.
 */
export function toProviderUsage(reported: ReportedUsage): ProviderUsage | null {
  const { prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens } = reported;
  if (!isTokenCount(prompt_tokens) || !isTokenCount(completion_tokens)) {
    return null;
  }
  const cached = isTokenCount(cached_tokens) ? Math.min(cached_tokens, prompt_tokens) : 0;
  const written = isTokenCount(cache_write_tokens) ? Math.min(cache_write_tokens, prompt_tokens - cached) : 0;
  return {
    prompt_tokens,
    completion_tokens,
    cached_tokens: cached,
    cache_write_tokens: written,
    reasoning_tokens: isTokenCount(reasoning_tokens) ? Math.min(reasoning_tokens, completion_tokens) : 0,
    ...extrasOf(reported, written),
  };
}

/** The parts that only some providers report. */
function extrasOf({ cache_write_1h_tokens, web_searches, tariff }: ReportedUsage, written: number): UsageExtras {
  return {
    ...(isPositive(cache_write_1h_tokens) && { cache_write_1h_tokens: Math.min(cache_write_1h_tokens, written) }),
    ...(isPositive(web_searches) && { web_searches }),
    ...(tariff !== undefined && tariff !== '' && { tariff }),
  };
}

function isPositive(value: unknown): value is number {
  return isTokenCount(value) && value > 0;
}

function isTokenCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAXIMUM_TOKENS;
}

/** Joins two turns of one role, because some models refuse two of them in a row. */
export function joinMessages(one: ModelMessage, next: ModelMessage): ModelMessage {
  const hasParts = one.parts !== undefined || next.parts !== undefined;
  const hasSummary = one.hasSummary ?? next.hasSummary;
  return {
    role: one.role,
    content: [one.content, next.content].filter((text) => text !== '').join('\n\n'),
    ...(hasParts && { parts: [...partsOf(one), ...partsOf(next)] }),
    ...(hasSummary && { hasSummary }),
  };
}

function partsOf({ content, parts }: ModelMessage): readonly MessagePart[] {
  return parts ?? (content === '' ? [] : [{ type: 'text', text: content }]);
}
