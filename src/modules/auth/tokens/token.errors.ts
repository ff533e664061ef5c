import { ApiError } from '../../../common/errors/api-error';

/** The refresh token is unknown or expired, or its session has ended. */
export class RefreshTokenInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_INVALID';
  static readonly summary = 'The refresh token is invalid. Sign in again.';
}

/** A session cookie was requested from outside the service's pages, or by a page without https. */
export class SameOriginRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'SAME_ORIGIN_REQUIRED';
  static readonly summary =
    'Cookie sessions are for pages of this service, opened over HTTPS or on its machine. Elsewhere, omit ' +
    '`session`.';
}

/** A replaced refresh token was used. It may have been stolen, so the session was ended. */
export class RefreshTokenReusedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_REUSED';
  static readonly summary = 'The refresh token was already replaced, and its session has now ended. Sign in again.';
}
