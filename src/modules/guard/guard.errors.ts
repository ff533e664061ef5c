import { ApiError } from '../../common/errors/api-error';

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
