import { ApiError } from '../../../common/errors/api-error';

/** The setting was changed after the caller read it. */
export class SettingVersionConflictError extends ApiError {
  static readonly status = 409;
  static readonly code = 'VERSION_CONFLICT';
  static readonly summary =
    'The setting has changed since you read it. Read it again and repeat the update with its version.';
}
