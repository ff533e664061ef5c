import { ApiError } from '../../../common/errors/api-error';

/** The address and password do not match, or the account does not exist. The response does not reveal which. */
export class InvalidCredentialsError extends ApiError {
  static readonly status = 401;
  static readonly code = 'INVALID_CREDENTIALS';
  static readonly summary = 'The address or the password is wrong. Check both, or sign in with a code.';
}

/** Too many recent wrong passwords. A login with a code still works. */
export class AccountLockedError extends ApiError {
  static readonly status = 429;
  static readonly code = 'ACCOUNT_LOCKED';
  static readonly summary =
    'Too many failed sign-ins. Sign in with a code, or try again after the time in `Retry-After`.';

  static example(): AccountLockedError {
    return new AccountLockedError(900);
  }

  constructor(retryAfterSeconds: number) {
    super({}, { retryAfterSeconds });
  }
}
