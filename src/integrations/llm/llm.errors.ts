import { ApiError, type ApiErrorOptions } from '../../common/errors/api-error';

export interface ModelProviderErrorOptions extends ApiErrorOptions {
  /** Whether the same request may succeed when sent again. */
  retryable?: boolean;
  /** HTTP status of the provider's answer, if there was one; for the log. */
  providerStatus?: number;
  /** Whether it speaks of a provider that is down, and not of this one request: the circuit breaker counts only those. */
  isOutage?: boolean;
}

/** Seconds after which an unavailable provider is worth another request, where it has not said so itself. */
const DEFAULT_RETRY_AFTER = 5;

/** Base of all failures of a model provider. What the provider said is only in `cause`, for the log. */
export abstract class ModelProviderError extends ApiError {
  readonly retryable: boolean;
  readonly providerStatus: number | null;
  readonly isOutage: boolean;

  constructor(details: Record<string, unknown> = {}, options: ModelProviderErrorOptions = {}) {
    super(details, options);
    this.retryable = options.retryable ?? false;
    this.providerStatus = options.providerStatus ?? null;
    this.isOutage = options.isOutage ?? false;
  }
}

/** The provider answered with a failure, broke off, or said something that is not a completion. */
export class ProviderError extends ModelProviderError {
  static readonly status = 502;
  static readonly code = 'PROVIDER_ERROR';
  static readonly summary =
    'The model provider failed to answer. Try again, or ask the administrator to check the model.';
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

/** The caller aborted the generation. Not a failure of anybody, so no `ApiError`: whoever aborts knows why. */
export class GenerationAbortedError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('The generation was aborted by its caller.');
  }
}
