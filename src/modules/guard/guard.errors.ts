import { ApiError, type ApiErrorOptions } from '../../common/errors/api-error';

/** There is no such guard. */
export class GuardNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'GUARD_NOT_FOUND';
  static readonly summary = 'There is no such guard. `GET /admin/guards` lists all of them.';
}

/** Another guard has this name. */
export class GuardExistsError extends ApiError {
  static readonly status = 409;
  static readonly code = 'GUARD_EXISTS';
  static readonly summary = 'Another guard has this name. Change that guard, or choose another name.';
}

/** There are as many guards as allowed. */
export class GuardLimitError extends ApiError {
  static readonly status = 409;
  static readonly code = 'GUARD_LIMIT';
  static readonly summary = 'There are already 20 guards. Delete one first.';
}

/** The URL is blocked. */
export class GuardUrlForbiddenError extends ApiError {
  static readonly status = 422;
  static readonly code = 'GUARD_URL_FORBIDDEN';
  static readonly summary =
    'The address is blocked because it is not public or not HTTPS. Add internal hosts to `GUARD_ALLOWED_HOSTS`.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['reason'],
    properties: { reason: { type: 'string', description: 'Why it is blocked.', example: 'address_not_public' } },
  };

  static example(): GuardUrlForbiddenError {
    return new GuardUrlForbiddenError('address_not_public');
  }

  constructor(reason: string) {
    super({ reason });
  }
}

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
