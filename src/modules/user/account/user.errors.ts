import { ApiError } from '../../../common/errors/api-error';

/** The user does not exist, or the account is closed. */
export class UserNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'USER_NOT_FOUND';
  static readonly summary = 'There is no such user, or the account is closed.';
}

/** The code was correct, but its address has no account. */
export class UserNotRegisteredError extends ApiError {
  static readonly status = 404;
  static readonly code = 'USER_NOT_FOUND';
  static readonly summary =
    'The code is correct, but the address has no account. Use the same code with `POST /auth/register`.';

  constructor() {
    super({ field: 'email', reason: 'not_registered' });
  }
}

/** The address already has an account. */
export class EmailAlreadyRegisteredError extends ApiError {
  static readonly status = 409;
  static readonly code = 'EMAIL_ALREADY_REGISTERED';
  static readonly summary = 'The address already has an account. Sign in instead.';

  constructor() {
    super({ field: 'email', reason: 'already_registered' });
  }
}

/** The username belongs to another account. Case does not matter. */
export class UsernameTakenError extends ApiError {
  static readonly status = 409;
  static readonly code = 'USERNAME_TAKEN';
  static readonly summary = 'Another user has this username. Choose a different one; a code stays valid.';

  constructor() {
    super({ field: 'username', reason: 'taken' });
  }
}

/** Administrators have switched registration off. */
export class RegistrationDisabledError extends ApiError {
  static readonly status = 403;
  static readonly code = 'REGISTRATION_DISABLED';
  static readonly summary = 'Registration is closed. Contact the operator of the service.';
}

/**
 * The upgrade needs the token of a confirmed payment. It was not sent, is not valid, or was already used for another
 * upgrade.
 */
export class PaymentRequiredError extends ApiError {
  static readonly status = 402;
  static readonly code = 'PAYMENT_REQUIRED';
  static readonly summary =
    'The upgrade needs the `payment_token` of a confirmed payment, which works once, for its user and plan.';
}

/**
 * The proof of payment has expired and no longer counts. If it has already counted, the request succeeds without a
 * change.
 */
export class PaymentProofExpiredError extends PaymentRequiredError {
  constructor(readonly paymentId: string) {
    super();
  }
}

/** The caller has no session with this id. */
export class SessionNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'SESSION_NOT_FOUND';
  static readonly summary = 'The user has no session with this id. `GET /user/sessions` lists all sessions.';
}

/** The user already downloads the maximum number of exports. */
export class TooManyExportsError extends ApiError {
  static readonly status = 429;
  static readonly code = 'TOO_MANY_CONCURRENT';
  static readonly summary = 'Too many exports are running for this account. Wait until one of them finishes.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: {
      limit: { type: 'integer', description: 'Exports that a user may run at the same time.', example: 2 },
    },
  };

  static example(): TooManyExportsError {
    return new TooManyExportsError(2);
  }

  constructor(limit: number) {
    super({ limit }, { retryAfterSeconds: 5 });
  }

  override get messageKey(): string {
    return 'messages.too_many_exports';
  }
}

/** An administrator's account cannot be erased. */
export class AdminNotErasableError extends ApiError {
  static readonly status = 409;
  static readonly code = 'ADMIN_NOT_ERASABLE';
  static readonly summary = 'Administrators cannot be erased. Set `user_type` to `normal` first.';
}

/** Without this administrator, no one could administer the installation. */
export class LastAdminError extends ApiError {
  static readonly status = 409;
  static readonly code = 'LAST_ADMIN';
  static readonly summary = 'The service needs at least one administrator. Make another user an administrator first.';
}
