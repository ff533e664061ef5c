import { ApiError, type ApiErrorOptions } from './api-error';

/** A guard blocked the text. */
export class ContentBlockedError extends ApiError {
  static readonly status = 422;
  static readonly code = 'CONTENT_BLOCKED';
  static readonly summary =
    'A guard blocked the text. Nothing is stored, and no model is called. Remove what the guard found, and send the ' +
    'message again.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['guard', 'stage', 'types'],
    properties: {
      guard: { type: 'string', description: 'Name of the guard.', example: 'personal-data' },
      stage: { type: 'string', description: 'Where it checked the text.', example: 'input' },
      types: {
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: 'What it found, and how often; empty if it named no type.',
        example: { CREDIT_CARD: 1 },
      },
    },
  };

  static example(): ContentBlockedError {
    return new ContentBlockedError('personal-data', 'input', { CREDIT_CARD: 1 });
  }

  constructor(
    readonly guard: string,
    readonly stage: string,
    readonly types: Record<string, number>,
  ) {
    super({ guard, stage, types });
  }
}

/** A guard that must approve the text is not available. */
export class GuardUnavailableError extends ApiError {
  static readonly status = 503;
  static readonly code = 'GUARD_UNAVAILABLE';
  static readonly summary = 'A guard that must check the text is not available. Try again later.';

  static example(): GuardUnavailableError {
    return new GuardUnavailableError();
  }

  constructor(details: Record<string, unknown> = {}, options: ApiErrorOptions = {}) {
    super(details, { retryAfterSeconds: 5, isLogged: false, ...options });
  }
}
