import { ApiError } from '../../common/errors/api-error';

/** The legal hold does not exist. */
export class HoldNotFoundError extends ApiError {
  static readonly status = 404;
  static readonly code = 'HOLD_NOT_FOUND';
  static readonly summary = 'There is no such legal hold. `GET /admin/holds` lists all holds.';
}

/** The legal hold has ended. */
export class HoldReleasedError extends ApiError {
  static readonly status = 409;
  static readonly code = 'HOLD_RELEASED';
  static readonly summary = 'The legal hold was released or has expired. Create another hold to keep the data.';
}

/** Too many legal holds are active. */
export class HoldLimitError extends ApiError {
  static readonly status = 409;
  static readonly code = 'HOLD_LIMIT';
  static readonly summary =
    'Too many legal holds are active. Release one first, or cover several users with one group.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: { limit: { type: 'integer', description: 'Active holds at most.', example: 1_000 } },
  };

  static example(): HoldLimitError {
    return new HoldLimitError(1_000);
  }

  constructor(limit: number) {
    super({ limit });
  }
}

/** Too many exports of legal holds are running. */
export class TooManyHoldExportsError extends ApiError {
  static readonly status = 429;
  static readonly code = 'TOO_MANY_CONCURRENT';
  static readonly summary = 'Too many exports of legal holds are running. Wait until one of them finishes.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit'],
    properties: { limit: { type: 'integer', description: 'Exports that may run at the same time.', example: 2 } },
  };

  static example(): TooManyHoldExportsError {
    return new TooManyHoldExportsError(2);
  }

  constructor(limit: number) {
    super({ limit }, { retryAfterSeconds: 5 });
  }

  override get messageKey(): string {
    return 'messages.too_many_hold_exports';
  }
}
