import { ApiError } from '../../common/errors/api-error';

/** The user has the maximum number of open feeds. */
export class TooManyFeedsError extends ApiError {
  static readonly status = 429;
  static readonly code = 'TOO_MANY_CONCURRENT';
  static readonly summary =
    'Too many event streams are open for this account. Close one, or share one between windows.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: { limit: { type: 'integer', description: 'Event streams that a user may have open.', example: 5 } },
  };

  static example(): TooManyFeedsError {
    return new TooManyFeedsError(5);
  }

  constructor(limit: number) {
    super({ limit }, { retryAfterSeconds: 5 });
  }

  override get messageKey(): string {
    return 'messages.too_many_feeds';
  }
}
