import { ApiError } from '../../common/errors/api-error';

/** The code is wrong, expired, used up or was never made; which of them is not told. */
export class InvalidCodeError extends ApiError {
  static readonly status = 400;
  static readonly code = 'INVALID_CODE';
  static readonly summary = 'The code is wrong or not valid any more. Check it, or ask for a new one.';

  constructor() {
    super({ field: 'code', reason: 'invalid_code' });
  }
}

/** Address and password do not belong together, or there is no such account; which of them is not told. */
export class InvalidCredentialsError extends ApiError {
  static readonly status = 401;
  static readonly code = 'INVALID_CREDENTIALS';
  static readonly summary = 'The address or the password is wrong. Check both, or log in with a code.';
}

/** The refresh token is unknown or expired, or its session has ended. */
export class RefreshTokenInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_INVALID';
  static readonly summary = 'The refresh token is not valid. Log in again.';
}

/** A refresh token was used that has been replaced; somebody may have stolen it, so the session was ended. */
export class RefreshTokenReusedError extends ApiError {
  static readonly status = 401;
  static readonly code = 'REFRESH_TOKEN_REUSED';
  static readonly summary = 'The refresh token was replaced earlier, and its session is ended now. Log in again.';
}

/** Enough codes were asked for lately. */
export class CodeSendTooFrequentError extends ApiError {
  static readonly status = 429;
  static readonly code = 'CODE_SEND_TOO_FREQUENT';
  static readonly summary = 'Too many codes were asked for lately. Try again after the time in Retry-After.';

  static example(): CodeSendTooFrequentError {
    return new CodeSendTooFrequentError(60);
  }

  constructor(retryAfterSeconds: number) {
    super({}, { retryAfterSeconds });
  }
}

/** Too many wrong passwords lately; a login with a code still works. */
export class AccountLockedError extends ApiError {
  static readonly status = 429;
  static readonly code = 'ACCOUNT_LOCKED';
  static readonly summary = 'Too many failed logins. Log in with a code, or try again after the time in Retry-After.';

  static example(): AccountLockedError {
    return new AccountLockedError(900);
  }

  constructor(retryAfterSeconds: number) {
    super({}, { retryAfterSeconds });
  }
}
