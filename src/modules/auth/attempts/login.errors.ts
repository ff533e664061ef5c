import { ApiError } from '../../../common/errors/api-error';

/** Administrators have disabled login by password and code. */
export class PasswordLoginDisabledError extends ApiError {
  static readonly status = 403;
  static readonly code = 'PASSWORD_LOGIN_DISABLED';
  static readonly summary = 'Passwords and codes are disabled. Sign in with a provider from `GET /auth/providers`.';
}
