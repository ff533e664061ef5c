import { ApiError } from '../../../common/errors/api-error';

/** The code is wrong, expired, used up or never existed. The response does not reveal which. */
export class InvalidCodeError extends ApiError {
  static readonly status = 400;
  static readonly code = 'INVALID_CODE';
  static readonly summary = 'The code is wrong or no longer valid. Check it, or request another code.';

  constructor(field = 'code') {
    super({ field, reason: 'invalid_code' });
  }
}

/** This client has recently requested enough codes. */
export class CodeSendTooFrequentError extends ApiError {
  static readonly status = 429;
  static readonly code = 'CODE_SEND_TOO_FREQUENT';
  static readonly summary = 'Too many codes were requested. Try again after the time in `Retry-After`.';

  static example(): CodeSendTooFrequentError {
    return new CodeSendTooFrequentError(60);
  }

  constructor(retryAfterSeconds: number) {
    super({}, { retryAfterSeconds });
  }
}

/** The login code or link token is unknown, used or expired, or the verifier does not belong to it. */
export class LoginCodeInvalidError extends ApiError {
  static readonly status = 401;
  static readonly code = 'LOGIN_CODE_INVALID';
  static readonly summary = 'The login code or link token is invalid or was already used. Start the sign-in again.';
}
