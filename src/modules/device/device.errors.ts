import { ApiError } from '../../common/errors/api-error';

/*
 * The errors of RFC 6749 §5.2 and RFC 8628 §3.5. Their codes on the wire are in lower case (`OAUTH_ERRORS`).
 */

/** The user has not decided yet. */
export class AuthorizationPendingError extends ApiError {
  static readonly status = 400;
  static readonly code = 'AUTHORIZATION_PENDING';
  static readonly summary = 'The user has not decided yet. Repeat the request after `interval` seconds.';
}

/** The device polls faster than the interval of its code. */
export class SlowDownError extends ApiError {
  static readonly status = 400;
  static readonly code = 'SLOW_DOWN';
  static readonly summary = 'The requests come too fast. Wait five seconds longer between them from now on.';
}

/** Too many codes of one address are valid at the same time. */
export class TooManyDeviceCodesError extends ApiError {
  static readonly status = 429;
  static readonly code = 'SLOW_DOWN';
  static readonly summary = 'Too many sign-ins from this address are waiting. Wait for the time in `Retry-After`.';

  static example(): TooManyDeviceCodesError {
    return new TooManyDeviceCodesError(60);
  }

  constructor(retryAfterSeconds: number) {
    super({}, { retryAfterSeconds });
  }

  override get messageKey(): string {
    return 'messages.too_many_device_codes';
  }
}

/** The user denied the request, or may no longer sign in. */
export class AccessDeniedError extends ApiError {
  static readonly status = 400;
  static readonly code = 'ACCESS_DENIED';
  static readonly summary = 'The user denied the request, or may no longer sign in. Start again.';
}

/** The device code is unknown, expired or used. The response does not reveal which. */
export class ExpiredTokenError extends ApiError {
  static readonly status = 400;
  static readonly code = 'EXPIRED_TOKEN';
  static readonly summary = 'The device code has expired or was used. Start again.';
}

/** The refresh token is unknown or used, or its session has ended. */
export class InvalidGrantError extends ApiError {
  static readonly status = 401;
  static readonly code = 'INVALID_GRANT';
  static readonly summary = 'The refresh token is invalid or was used. Read the stored token again, or start again.';
}

/** A parameter is missing, too long or sent twice, or the body is not a form. */
export class InvalidRequestError extends ApiError {
  static readonly status = 400;
  static readonly code = 'INVALID_REQUEST';
  static readonly summary =
    'A parameter is missing, too long or sent twice, or the body is not form-encoded. Correct the request.';

  constructor(private readonly parameter?: string) {
    super(parameter === undefined ? {} : { field: parameter });
  }

  override get messageKey(): string {
    return this.parameter === undefined ? super.messageKey : 'messages.invalid_oauth_parameter';
  }
}

/** The grant type is not supported. */
export class UnsupportedGrantTypeError extends ApiError {
  static readonly status = 400;
  static readonly code = 'UNSUPPORTED_GRANT_TYPE';
  static readonly summary = 'The grant type is not supported. `grant_types_supported` of the metadata lists them.';
}

/** The scope is unknown, or a device cannot have it. */
export class InvalidScopeError extends ApiError {
  static readonly status = 400;
  static readonly code = 'INVALID_SCOPE';
  static readonly summary =
    'A device cannot have this scope. `scopes_supported` of the metadata lists the possible ones.';
}

/** A page of another origin sent the request. */
export class OtherOriginError extends ApiError {
  static readonly status = 403;
  static readonly code = 'FORBIDDEN';
  static readonly summary = 'Only pages of this service may approve devices. Open the page in the console.';

  override get messageKey(): string {
    return 'messages.device_page_only';
  }
}
