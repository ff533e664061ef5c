import { ApiError } from '../../../common/errors/api-error';

/** A request from another machine tried to create the first administrator without the token of the link. */
export class SetupNotAllowedError extends ApiError {
  static readonly status = 403;
  static readonly code = 'SETUP_NOT_ALLOWED';
  static readonly summary =
    'Setup is not allowed from here. Open the console on the machine of the service or with the link in its ' +
    'log, or set `ADMIN_EMAIL` and `ADMIN_PASSWORD`.';
}

/** There already is an administrator, who can create others. */
export class SetupCompleteError extends ApiError {
  static readonly status = 409;
  static readonly code = 'SETUP_COMPLETE';
  static readonly summary = 'An administrator already exists. Sign in, or ask the administrator for an account.';
}
