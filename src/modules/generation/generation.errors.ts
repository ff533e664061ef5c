import { ApiError } from '../../common/errors/api-error';
import {
  ContentRefusedError,
  FeatureNotSupportedError,
  ModelNotPricedError,
  ProviderError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../integrations/llm/port/llm.errors';

/** The key was used within 24 hours with another body or on another route. */
export class IdempotencyConflictError extends ApiError {
  static readonly status = 409;
  static readonly code = 'IDEMPOTENCY_CONFLICT';
  static readonly summary = 'The `Idempotency-Key` was used for a different request. Use a new key for a new request.';
}

/** The user already has as many running replies as the tier allows. */
export class TooManyConcurrentError extends ApiError {
  static readonly status = 429;
  static readonly code = 'TOO_MANY_CONCURRENT';
  static readonly summary = 'Too many replies are running for this account. Wait until one ends, or stop one.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: { limit: { type: 'integer', description: 'Replies that a user may have running.', example: 2 } },
  };

  static example(): TooManyConcurrentError {
    return new TooManyConcurrentError(2);
  }

  constructor(limit: number) {
    super({ limit }, { retryAfterSeconds: 5 });
  }
}

/** The reply failed because the database was unavailable or the service was shutting down. */
export class ReplyUnavailableError extends ApiError {
  static readonly status = 503;
  static readonly code = 'SERVICE_UNAVAILABLE';
  static readonly summary = 'The reply cannot be created right now. Send the message again shortly.';
}

const STORED = { user_message_id: 1, message_id: 2 };

/**
 * Examples for the API document. Model failures contain the ids of the message and the reply, because both are stored
 * before the model is called.
 */
export const REPLY_FAILURES = [
  new ContentRefusedError(STORED),
  new FeatureNotSupportedError({ feature: 'images', ...STORED }),
  new ModelNotPricedError({ reason: 'no_price' }),
  new ProviderError(STORED, { retryable: true }),
  new ProviderUnavailableError(STORED, { retryAfterSeconds: 30 }),
  new ProviderTimeoutError({ phase: 'first_token', limit_seconds: 30, ...STORED }),
];
