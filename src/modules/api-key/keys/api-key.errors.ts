import { ApiError } from '../../../common/errors/api-error';

/** The user has no such key, or it was revoked. */
export class ApiKeyNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'API_KEY_NOT_FOUND';
  static readonly summary = 'There is no API key with this id, or it is revoked.';
}

/** The user has the maximum number of keys. */
export class TooManyApiKeysError extends ApiError {
  static readonly status = 409;
  static readonly code = 'TOO_MANY_API_KEYS';
  static readonly summary = 'The user has reached the maximum number of API keys. Revoke one that is no longer used.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: { limit: { type: 'integer', description: 'Maximum number of keys per user.', example: 50 } },
  };

  static example(): TooManyApiKeysError {
    return new TooManyApiKeysError(50);
  }

  constructor(limit: number) {
    super({ limit });
  }
}

/** Administrators can create keys only for service accounts. With a key of a person they could act as that person. */
export class NotServiceAccountError extends ApiError {
  static readonly status = 409;
  static readonly code = 'NOT_SERVICE_ACCOUNT';
  static readonly summary = 'The account belongs to a person. Only that person can create API keys for it.';
}
