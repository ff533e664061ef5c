import { ApiError, type ApiErrorOptions } from '../../common/errors/api-error';
import type { RefusedParameter } from './generation/parameter-adjustment';

export interface ModelProviderErrorOptions extends ApiErrorOptions {
  /** Whether the same request may succeed when sent again. */
  retryable?: boolean;
  /** HTTP status of the provider's answer, if there was one; for the log. */
  providerStatus?: number;
  /** Whether it speaks of a provider that is down, and not of this one request: the circuit breaker counts only those. */
  isOutage?: boolean;
  /** The parameter because of which the provider refused the request: it may be sent once more without it. */
  refusedParameter?: RefusedParameter;
}

/** Seconds after which an unavailable provider is worth another request, where it has not said so itself. */
const DEFAULT_RETRY_AFTER = 5;

/** The model that failed; for the log, metrics and administrators. */
export interface FailedModel {
  /** The provider's name. */
  provider: string;
  /** Null when neither the agent nor the provider names one. */
  model: string | null;
  /** Where the provider was asked; null without a network. */
  host: string | null;
}

/** Base of all failures of a model provider. What the provider said is only in `cause`, for the log. */
export abstract class ModelProviderError extends ApiError {
  /** Set by `LanguageModels`; null for a failure that no model is known for. */
  failedModel: FailedModel | null = null;
  readonly retryable: boolean;
  readonly providerStatus: number | null;
  readonly isOutage: boolean;

  constructor(
    details: Record<string, unknown> = {},
    override readonly options: ModelProviderErrorOptions = {},
  ) {
    super(details, options);
    this.retryable = options.retryable ?? false;
    this.providerStatus = options.providerStatus ?? null;
    this.isOutage = options.isOutage ?? false;
  }
}

/** `details.reason` of a reply that is nothing but the wish to call a tool: agents here have none. */
export const TOOL_CALL = 'tool_call';

/** The provider answered with a failure, broke off, or said something that is not a completion. */
export class ProviderError extends ModelProviderError {
  static readonly status = 502;
  static readonly code = 'PROVIDER_ERROR';
  static readonly summary =
    'The model provider failed to answer. Try again if it says so, or ask the administrator to check the model.';

  static example(): ProviderError {
    return new ProviderError({}, { retryable: true });
  }

  /** Whom it is of use to try again is told so; everybody else that an administrator can help. */
  override get messageKey(): string {
    if (this.details.reason === TOOL_CALL) {
      return 'messages.model_calls_tool';
    }
    return this.retryable ? super.messageKey : 'messages.model_refuses';
  }
}

/** The provider cannot be reached, asks us to wait, is not configured, or is left alone after repeated failures. */
export class ProviderUnavailableError extends ModelProviderError {
  static readonly status = 503;
  static readonly code = 'PROVIDER_UNAVAILABLE';
  static readonly summary = 'The model provider is not available at the moment. Try again after retry_after seconds.';

  static example(): ProviderUnavailableError {
    return new ProviderUnavailableError({}, { retryAfterSeconds: 30 });
  }

  /** Never absent: callers are promised a time. What the provider itself has asked for is in `options`. */
  override get retryAfterSeconds(): number {
    return this.options.retryAfterSeconds ?? DEFAULT_RETRY_AFTER;
  }
}

/** The provider was too slow: `details.phase` is `first_token`, `idle` or `total`, `details.limit_seconds` the limit. */
export class ProviderTimeoutError extends ModelProviderError {
  static readonly status = 504;
  static readonly code = 'PROVIDER_TIMEOUT';
  static readonly summary = 'The model provider did not answer in time. Try again, or send a shorter message.';

  static example(): ProviderTimeoutError {
    return new ProviderTimeoutError({ phase: 'first_token', limit_seconds: 30 });
  }
}

/** The provider's content filter refused the request. The caller mends it by other words; sending it again is no use. */
export class ContentRefusedError extends ModelProviderError {
  static readonly status = 422;
  static readonly code = 'CONTENT_REFUSED';
  static readonly summary = 'The model provider refuses to answer this message. Say it in other words.';
}

/**
 * System prompt and message alone exceed what the agent or its model takes. `tokens` was counted, not estimated; it is
 * absent where only the provider knows, and `limit` where even that did not say it.
 */
export class ContextTooLongError extends ModelProviderError {
  static readonly status = 422;
  static readonly code = 'CONTEXT_TOO_LONG';
  static readonly summary = 'The message does not fit the context of the agent. Shorten it.';

  static example(): ContextTooLongError {
    return ContextTooLongError.of(70_000, 64_000);
  }

  static of(tokens: number | null, limit: number | null, options: ModelProviderErrorOptions = {}): ContextTooLongError {
    const details = { ...(tokens !== null && { tokens }), ...(limit !== null && { limit }) };
    return new ContextTooLongError({ field: 'content', reason: 'too_long', ...details }, options);
  }
}

/** The caller aborted the generation. Not a failure of anybody, so no `ApiError`: whoever aborts knows why. */
export class GenerationAbortedError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('The generation was aborted by its caller.');
  }
}
