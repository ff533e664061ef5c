import { ApiError } from '../../common/errors/api-error';

/** The provider does not exist or is switched off. */
export class IdentityProviderNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'IDENTITY_PROVIDER_NOT_FOUND';
  static readonly summary =
    'There is no such identity provider. `GET /auth/providers` lists those available for sign-in.';
}

/** Another provider has this slug or issuer. */
export class IdentityProviderExistsError extends ApiError {
  static readonly status = 409;
  static readonly code = 'IDENTITY_PROVIDER_EXISTS';
  static readonly summary = 'Another identity provider has this slug or issuer. Change that one, or choose another.';
}

/** Accounts have identities of this provider. */
export class IdentityProviderInUseError extends ApiError {
  static readonly status = 409;
  static readonly code = 'PROVIDER_IN_USE';
  static readonly summary =
    'Accounts have identities from the provider; `details.count` is their number. Disable it, or delete it ' +
    'with `force=true`.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['count'],
    properties: { count: { type: 'integer', description: 'Identities from the provider.', example: 12 } },
  };

  static example(): IdentityProviderInUseError {
    return new IdentityProviderInUseError(12);
  }

  constructor(count: number) {
    super({ count });
  }

  override get messageKey(): string {
    return 'messages.identity_provider_in_use';
  }
}

/** The user has no such identity. */
export class IdentityNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'IDENTITY_NOT_FOUND';
  static readonly summary = 'The account has no identity with this id. `GET /user/identities` lists its identities.';
}

/** The identity belongs to another account. */
export class IdentityTakenError extends ApiError {
  static readonly status = 409;
  static readonly code = 'IDENTITY_TAKEN';
  static readonly summary = 'The identity belongs to another account. Sign in to that account and unlink it first.';
}

/** No identity is linked to the account that could prove the user again. */
export class IdentityRequiredError extends ApiError {
  static readonly status = 409;
  static readonly code = 'IDENTITY_REQUIRED';
  static readonly summary =
    'No identity is linked to the account. Link one with `POST /user/identities/start`, or sign in with the ' +
    'provider.';
}

/** The last way to sign in cannot be removed, neither the user's own nor that of all administrators. */
export class LastLoginMethodError extends ApiError {
  static readonly status = 409;
  static readonly code = 'LAST_LOGIN_METHOD';
  static readonly summary = 'This is the last way to sign in. Add a password or another provider first.';
}

/** A verification code must prove the address before the identity is linked or the account is created. */
export class IdentityLinkRequiredError extends ApiError {
  static readonly status = 409;
  static readonly code = 'IDENTITY_LINK_REQUIRED';
  static readonly summary =
    'The address must be verified first. Call `POST /auth/send_code` with the purpose `link_identity` and ' +
    '`details.link_token`, then `POST /auth/oidc/link`.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['link_token', 'email', 'expires_in'],
    properties: {
      link_token: { type: 'string', description: 'Token for both calls; works once.', example: 'Jq0R…' },
      email: { type: 'string', description: 'The address that the code is sent to.', example: 'ada@example.com' },
      expires_in: { type: 'integer', description: 'Seconds until the token expires.', example: 600 },
    },
  };

  static example(): IdentityLinkRequiredError {
    return new IdentityLinkRequiredError('Jq0R…', 'ada@example.com', 600);
  }

  constructor(linkToken: string, email: string, expiresIn: number) {
    super({ link_token: linkToken, email, expires_in: expiresIn });
  }
}

/** The state of a sign-in is unknown, used, expired, or belongs to another browser. */
export class LoginStateInvalidError extends ApiError {
  static readonly status = 400;
  static readonly code = 'LOGIN_STATE_INVALID';
  static readonly summary =
    'The sign-in has expired, was started in another browser, or was already used. Start it again.';
}

/** The user cancelled at the provider. */
export class LoginCancelledError extends ApiError {
  static readonly status = 400;
  static readonly code = 'LOGIN_CANCELLED';
  static readonly summary = 'The sign-in was cancelled at the provider. Start it again.';
}

/** The provider failed or returned an invalid response. */
export class IdentityProviderError extends ApiError {
  static readonly status = 502;
  static readonly code = 'IDENTITY_PROVIDER_ERROR';
  static readonly summary =
    'The identity provider failed. Try again later; administrators can find the cause with ' +
    '`POST /admin/identity_providers/{id}/test`.';

  constructor() {
    // The code that throws this logs the reason, without the provider's response.
    super({}, { isLogged: false });
  }
}

/** Why a user whom the provider authenticated is not allowed to sign in. */
export type NotAllowedReason = 'no_account' | 'domain' | 'group' | 'email_missing' | 'account_closed';

/** The provider authenticated the user, but this service's rules do not allow the sign-in. */
export class IdentityNotAllowedError extends ApiError {
  static readonly status = 403;
  static readonly code = 'IDENTITY_NOT_ALLOWED';
  static readonly summary = 'This identity may not sign in here. Contact an administrator of the service.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['reason'],
    properties: {
      reason: {
        type: 'string',
        description:
          'Why the identity was refused: account creation is off, its domain, its groups, a missing address, ' +
          'or a closed account.',
        enum: ['no_account', 'domain', 'group', 'email_missing', 'account_closed'],
        example: 'group',
      },
    },
  };

  static example(): IdentityNotAllowedError {
    return new IdentityNotAllowedError('group');
  }

  constructor(readonly reason: NotAllowedReason) {
    super({ reason });
  }
}

/** The provider omitted the groups from its token because there are too many. */
export class GroupsUnavailableError extends ApiError {
  static readonly status = 403;
  static readonly code = 'GROUPS_UNAVAILABLE';
  static readonly summary =
    'The provider did not send the groups because there are too many. An administrator must reduce the groups ' +
    'that it sends.';
}
