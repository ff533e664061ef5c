import { ApiError } from '../errors/api-error';

/** No access token was sent. */
export class UnauthorizedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'UNAUTHORIZED';
  static readonly summary = 'This route needs an access token. Send the header Authorization: Bearer <access_token>.';
}

/** The access token is not from this service, was changed, or names no user. */
export class TokenInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'TOKEN_INVALID';
  static readonly summary = 'The access token is not valid. Log in again.';
}

/** The access token has expired. */
export class TokenExpiredError extends ApiError {
  static readonly status = 401;
  static readonly code = 'TOKEN_EXPIRED';
  static readonly summary = 'The access token has expired. Get a new pair from POST /auth/refresh_token.';
}

/** The session of the token was ended: logout, revocation, new password, deletion. */
export class SessionRevokedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'SESSION_REVOKED';
  static readonly summary = 'The session was ended. Log in again.';
}

/** The account is banned. */
export class AccountBannedError extends ApiError {
  static readonly status = 403;
  static readonly code = 'ACCOUNT_BANNED';
  static readonly summary = 'The account is banned. Contact the operator of the service.';
}

/** The caller is known but may not do this. */
export class ForbiddenError extends ApiError {
  static readonly status = 403;
  static readonly code = 'FORBIDDEN';
  static readonly summary = 'The account may not do this. It takes an administrator.';
}
