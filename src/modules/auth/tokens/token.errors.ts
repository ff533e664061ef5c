import { ApiError } from '../../../common/errors/api-error';

/** The refresh token is unknown or expired, or its session has ended. */
export class RefreshTokenInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_INVALID';
  static readonly summary = 'The refresh token is not valid. Log in again.';
}

/** Somebody who is not a page of the service, or is one without https, asked for a session in a cookie. */
export class SameOriginRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'SAME_ORIGIN_REQUIRED';
  static readonly summary =
    'A session in a cookie is for pages of this service, opened by https or on its machine. Elsewhere leave out `session`.';
}

/** A refresh token was used that has been replaced; somebody may have stolen it, so the session was ended. */
export class RefreshTokenReusedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_REUSED';
  static readonly summary = 'The refresh token was replaced earlier, and its session is ended now. Log in again.';
}
