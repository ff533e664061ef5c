import { ApiError, type ApiErrorOptions } from '../../../common/errors/api-error';
import { MODEL_FEATURES, type ModelFeature } from './message-parts';
import type { RefusedParameter } from './parameter-adjustment';

export interface ModelProviderErrorOptions extends ApiErrorOptions {
  /** Whether a retry of the same request may succeed. */
  retryable?: boolean;
  /** HTTP status of the provider's response, if there was one; for the log. */
  providerStatus?: number;
  /** Whether the provider is down; false if only this request failed. The circuit breaker counts only outages. */
  isOutage?: boolean;
  /** The parameter that the provider refused. The request can be sent again without it. */
  refusedParameter?: RefusedParameter;
}

/** Retry-After if the provider itself has specified no time. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;

/** The model that failed; for the log, metrics and administrators. */
export interface FailedModel {
  /** The provider's name. */
  provider: string;
  /** Null if neither the agent nor the provider specifies one. */
  model: string | null;
  /** Host and port of the provider; null without a network. */
  host: string | null;
}

/** Members of `details` if message and reply were stored before the model was called. */
const STORED = {
  user_message_id: { type: 'integer', description: 'Id of the message, if it was stored.', example: 1 },
  message_id: { type: 'integer', description: 'Id of the reply, if it was started.', example: 2 },
};

/**
 * `no_price`: no price is set. `no_output_limit`: the model refuses every limit of its reply, whose length is then
 * unlimited.
 */
const UNPRICED_REASONS = ['no_price', 'no_output_limit'] as const;

export type UnpricedReason = (typeof UNPRICED_REASONS)[number];

/** Base class of all failures of a model provider. The provider's own text is only in `cause`, for the log. */
export abstract class ModelProviderError extends ApiError {
  static readonly detailsSchema: object = { type: 'object', properties: STORED };

  /** Set by `LanguageModels`; null if the model is unknown. */
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

/** `details.reason` of a reply that only calls a tool although no tools were offered. */
export const TOOL_CALL = 'tool_call';

/** The provider answered with a failure, broke off, or sent something that is not a completion. */
export class ProviderError extends ModelProviderError {
  static readonly status = 502;
  static readonly code = 'PROVIDER_ERROR';
  static readonly summary =
    'The model provider returned an error. Try again if the message suggests it, or ask an administrator to ' +
    'check the model.';

  static example(): ProviderError {
    return new ProviderError({}, { retryable: true });
  }

  /** The message suggests a retry only if that can help; otherwise it refers to the administrator. */
  override get messageKey(): string {
    if (this.details.reason === TOOL_CALL) {
      return 'messages.model_calls_tool';
    }
    return this.retryable ? super.messageKey : 'messages.model_refuses';
  }
}

/** The provider cannot be reached, requests a pause, is not configured, or is not called after repeated failures. */
export class ProviderUnavailableError extends ModelProviderError {
  static readonly status = 503;
  static readonly code = 'PROVIDER_UNAVAILABLE';
  static readonly summary = 'The model provider is temporarily unavailable. Try again after `retry_after` seconds.';

  static example(): ProviderUnavailableError {
    return new ProviderUnavailableError({}, { retryAfterSeconds: 30 });
  }

  /** Always present, because callers always get a time. `options` has the provider's own time. */
  override get retryAfterSeconds(): number {
    return this.options.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS;
  }
}

/**
 * The provider was too slow: `details.phase` is `first_token`, `idle` or `total`, `details.limit_seconds` the limit.
 */
export class ProviderTimeoutError extends ModelProviderError {
  static readonly status = 504;
  static readonly code = 'PROVIDER_TIMEOUT';
  static readonly summary = 'The model provider did not respond in time. Try again, or send a shorter message.';
  static override readonly detailsSchema = {
    type: 'object',
    properties: {
      phase: { type: 'string', enum: ['first_token', 'idle', 'total'], description: 'What timed out.' },
      limit_seconds: { type: 'number', format: 'double', description: 'The time limit.', example: 30 },
      ...STORED,
    },
  };

  static example(): ProviderTimeoutError {
    return new ProviderTimeoutError({ phase: 'first_token', limit_seconds: 30 });
  }
}

/** The provider's content filter refused the request. A reworded request may succeed; the same one does not. */
export class ContentRefusedError extends ModelProviderError {
  static readonly status = 422;
  static readonly code = 'CONTENT_REFUSED';
  static readonly summary = 'The model provider refused to answer this message. Rephrase it.';
}

/**
 * The model does not support a part of the request: tools, images, files, or a response format (`details.feature`). A
 * retry does not help; another agent may.
 */
export class FeatureNotSupportedError extends ModelProviderError {
  static readonly status = 422;
  static readonly code = 'FEATURE_NOT_SUPPORTED';
  static readonly summary =
    'The model of this agent does not support a part of the request; `details.feature` names it. Remove that ' +
    'part, or choose another agent.';
  static override readonly detailsSchema = {
    type: 'object',
    required: ['feature'],
    properties: {
      feature: { type: 'string', enum: MODEL_FEATURES, description: 'The unsupported feature.' },
      field: { type: 'string', description: 'The part of the message that needs the feature.', example: 'parts[1]' },
      ...STORED,
    },
  };

  static example(): FeatureNotSupportedError {
    return FeatureNotSupportedError.of('images');
  }

  static of(feature: ModelFeature, options: ModelProviderErrorOptions = {}): FeatureNotSupportedError {
    return new FeatureNotSupportedError({ feature }, options);
  }
}

/**
 * The cost of the model cannot be held, so a budget with a hard limit refuses it. Waiting does not help: an
 * administrator can set a price, or allow models without one.
 */
export class ModelNotPricedError extends ModelProviderError {
  static readonly status = 429;
  static readonly code = 'MODEL_NOT_PRICED';
  static readonly summary =
    'A hard budget applies, and the maximum cost of this model is unknown: it has no price or no output ' +
    'limit. Choose another agent, or ask an administrator to add a price or change the model.';
  static override readonly detailsSchema = {
    type: 'object',
    required: ['reason'],
    properties: {
      reason: { type: 'string', enum: UNPRICED_REASONS, description: 'Why the cost is unknown.' },
      ...STORED,
    },
  };

  static example(): ModelNotPricedError {
    return ModelNotPricedError.of('no_price');
  }

  static of(reason: UnpricedReason): ModelNotPricedError {
    return new ModelNotPricedError({ reason });
  }

  override get messageKey(): string {
    return this.details.reason === 'no_output_limit' ? 'messages.model_unbounded' : super.messageKey;
  }
}

/**
 * System prompt and message alone are longer than the agent or its model accepts. `tokens` is counted, not estimated.
 * It is absent if only the provider has counted; `limit` is absent if the provider has not named it.
 */
export class ContextTooLongError extends ModelProviderError {
  static readonly status = 422;
  static readonly code = 'CONTEXT_TOO_LONG';
  static readonly summary = 'The message does not fit into the context window of the agent. Shorten it.';
  static override readonly detailsSchema = {
    type: 'object',
    properties: {
      field: { type: 'string', description: 'Always `content`.', example: 'content' },
      reason: { type: 'string', description: 'Always `too_long`.', example: 'too_long' },
      tokens: { type: 'integer', description: 'Tokens of the request, if they were counted.', example: 70_000 },
      limit: {
        type: 'integer',
        description: 'Context window of the model in tokens, if it is known.',
        example: 64_000,
      },
      ...STORED,
    },
  };

  static example(): ContextTooLongError {
    return ContextTooLongError.of(70_000, 64_000);
  }

  static of(tokens: number | null, limit: number | null, options: ModelProviderErrorOptions = {}): ContextTooLongError {
    const details = { ...(tokens !== null && { tokens }), ...(limit !== null && { limit }) };
    return new ContextTooLongError({ field: 'content', reason: 'too_long', ...details }, options);
  }
}

/** The caller aborted the generation. It is no `ApiError`, because the caller knows the reason. */
export class GenerationAbortedError extends Error {
  override readonly name = 'AbortError';

  constructor() {
    super('The generation was aborted by its caller.');
  }
}
