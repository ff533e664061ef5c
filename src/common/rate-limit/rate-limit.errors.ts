import { ApiError } from '../errors/api-error';

/** The caller's budget of requests for the current minute is used up, or one of `ActionBudgets`. */
export class RateLimitExceededError extends ApiError {
  static readonly status = 429;
  static readonly code = 'RATE_LIMIT_EXCEEDED';
  static readonly summary = 'Too many requests. Wait for the time in `Retry-After`, then try again.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: {
      limit: {
        type: 'integer',
        description: 'Requests per minute that the caller may send, unless the route states another limit.',
        example: 60,
      },
    },
  };

  static example(): RateLimitExceededError {
    return new RateLimitExceededError(60, 30);
  }

  constructor(limit: number, retryAfterSeconds: number) {
    super({ limit }, { retryAfterSeconds });
  }
}
