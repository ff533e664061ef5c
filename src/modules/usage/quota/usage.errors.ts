import { ApiError } from '../../../common/errors/api-error';

/** Units that a quota counts. */
export type QuotaKind = 'messages' | 'tokens';

const MEBIBYTE = 1_048_576;

/**
 * The user's files and items would exceed the plan's storage together with those of the request. Nothing was stored.
 */
export class StorageQuotaExceededError extends ApiError {
  static readonly status = 413;
  static readonly code = 'STORAGE_QUOTA_EXCEEDED';
  static readonly summary =
    'The storage of the plan is full, or too full for this request; nothing was stored. Delete conversations, ' +
    'which count until they leave the trash, or upgrade.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['limit', 'used'],
    properties: {
      limit: { type: 'integer', description: 'Bytes that the plan includes.', example: 104_857_600 },
      used: { type: 'integer', description: 'Bytes in use.', example: 104_800_000 },
    },
  };

  static example(): StorageQuotaExceededError {
    return new StorageQuotaExceededError(104_857_600, 104_800_000);
  }

  constructor(limit: number, used: number) {
    super({ limit, used }, { messageValues: { limit: inMebibytes(limit), used: inMebibytes(used) } });
  }
}

function inMebibytes(bytes: number): number {
  return Math.round((10 * bytes) / MEBIBYTE) / 10;
}

/**
 * The allowance of the plan or of the API key for this UTC day is used up. `details` contain which one, and when it
 * resets.
 */
export class QuotaExceededError extends ApiError {
  static readonly status = 429;
  static readonly code = 'QUOTA_EXCEEDED';
  static readonly summary =
    'The daily allowance of the plan, or of the API key if `details.quota` is `api_key_tokens`, is used up. ' +
    'Wait until `details.resets_at`, or upgrade.';
  static readonly detailsSchema = {
    type: 'object',
    required: ['quota', 'limit', 'used', 'resets_at'],
    properties: {
      quota: {
        type: 'string',
        enum: ['messages', 'tokens', 'api_key_tokens', 'embedding_tokens'],
        description: 'The allowance that is used up.',
      },
      limit: { type: 'integer', description: 'Allowance per day.', example: 50 },
      used: { type: 'integer', description: 'Amount used today.', example: 50 },
      resets_at: {
        type: 'string',
        format: 'date-time',
        description: 'When the next day starts (UTC).',
        example: '2026-02-01T00:00:00.000Z',
      },
    },
  };

  static example(): QuotaExceededError {
    const details = { quota: 'messages', limit: 50, used: 50, resets_at: '2026-02-01T00:00:00.000Z' } as const;
    return new QuotaExceededError(details, 52_200);
  }

  constructor(
    details: {
      quota: QuotaKind | 'api_key_tokens' | 'embedding_tokens';
      limit: number;
      used: number;
      resets_at: string;
    },
    retryAfterSeconds: number,
  ) {
    super(details, { retryAfterSeconds });
  }
}
