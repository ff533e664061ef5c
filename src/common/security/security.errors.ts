import { ApiError } from '../errors/api-error';
import type { RequiredScope } from './key-scope.decorator';

/** The request has no access token. */
export class UnauthorizedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'UNAUTHORIZED';
  static readonly summary = 'The route needs an access token. Send the header `Authorization: Bearer <access_token>`.';
}

/** The access token is not from this service, was altered, or names no user. */
export class TokenInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'TOKEN_INVALID';
  static readonly summary = 'The access token is invalid. Sign in again.';
}

/** The access token has expired. */
export class TokenExpiredError extends ApiError {
  static readonly status = 401;
  static readonly code = 'TOKEN_EXPIRED';
  static readonly summary = 'The access token has expired. Get a new one from `POST /auth/refresh_token`.';
}

/** The session of the token was ended: logout, revocation, new password, deletion. */
export class SessionRevokedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'SESSION_REVOKED';
  static readonly summary = 'The session has ended. Sign in again.';
}

/**
 * The API key is mistyped, unknown, revoked or expired, or its owner's account is closed. The error does not
 * distinguish these cases.
 */
export class ApiKeyInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'API_KEY_INVALID';
  static readonly summary = 'The API key is mistyped, unknown, revoked or expired. Use another key.';
}

/** The owner has not signed in with the identity provider for so long that its keys are suspended. */
export class ApiKeyExpiredError extends ApiError {
  static readonly status = 401;
  static readonly code = 'API_KEY_EXPIRED';
  static readonly summary =
    'The API key is paused because its owner has not signed in for too long. It works again after the next ' +
    'sign-in.';
}

/** The API key lacks the scope of the route, or no key may call it. */
export class ScopeRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'SCOPE_REQUIRED';
  static readonly summary =
    'The API key may not call this route. `details.scope` names the required scope; null means that no API ' +
    'key may call it.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['scope'],
    properties: {
      scope: {
        type: 'string',
        nullable: true,
        description: 'The scope that a key needs; null if no key may call the route.',
      },
    },
  };

  static example(): ScopeRequiredError {
    return new ScopeRequiredError('chat:write');
  }

  constructor(private readonly scope: RequiredScope) {
    super({ scope });
  }

  /** Some clients show only the message, so it names the scope. */
  override get messageKey(): string {
    return this.scope === null ? super.messageKey : 'messages.scope_lacking';
  }
}

/** The account is banned. */
export class AccountBannedError extends ApiError {
  static readonly status = 403;
  static readonly code = 'ACCOUNT_BANNED';
  static readonly summary = 'The account is banned. Contact the operator of the service.';
}

/** The directory of an identity provider has suspended the account. */
export class IdentitySuspendedError extends ApiError {
  static readonly status = 403;
  static readonly code = 'IDENTITY_SUSPENDED';
  static readonly summary =
    'The directory of the organization suspended the account. Contact the administrator of the directory.';
}

/** The route needs an access token of a recent sign-in. */
export class RecentSignInRequiredError extends ApiError {
  static readonly status = 403;
  static readonly code = 'RECENT_SIGN_IN_REQUIRED';
  static readonly summary =
    'The sign-in of the access token is older than an hour. Sign in again, and repeat the request.';
}

/** The caller is known but lacks the permission. */
export class ForbiddenError extends ApiError {
  static readonly status = 403;
  static readonly code = 'FORBIDDEN';
  static readonly summary = 'Only administrators may call this route. Use an administrator account.';
}
