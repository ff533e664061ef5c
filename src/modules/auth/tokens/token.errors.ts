import { ApiError } from '../../../common/errors/api-error';

/** The refresh token is unknown or expired, or its session has ended. */
export class RefreshTokenInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_INVALID';
  static readonly summary = 'The refresh token is not valid. Log in again.';
}

/** A session cookie was requested from outside the service's pages, or by a page without https. */
export class SameOriginRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'SAME_ORIGIN_REQUIRED';
  static readonly summary =
    'A session in a cookie is for pages of this service, opened by https or on its machine. Elsewhere leave out `session`.';
}

/** A replaced refresh token was used. It may have been stolen, so the session was ended. */
export class RefreshTokenReusedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_REUSED';
  static readonly summary = 'The refresh token was replaced earlier, and its session is ended now. Log in again.';
}
