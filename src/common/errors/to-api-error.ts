import { HttpException } from '@nestjs/common';
import { ApiError } from './api-error';
import {
  InternalError,
  InvalidJsonError,
  MethodNotAllowedError,
  NotAcceptableError,
  NotFoundError,
  PayloadTooLargeError,
  ServiceUnavailableError,
  UnsupportedMediaTypeError,
} from './common.errors';

/** Codes of drivers and sockets for a database that is away or has no space left. */
const UNAVAILABLE_CODES = new Set([
  'DATABASE_UNAVAILABLE',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'POOL_CLOSED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ER_CON_COUNT_ERROR',
  'ER_SERVER_SHUTDOWN',
  'ER_NORMAL_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_LOCK_DEADLOCK',
  'SQLITE_BUSY',
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
]);

/**
 * The failure that a caller sees for a thrown value. It has no side effects. Unknown values become an `InternalError`.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  if (error instanceof HttpException) {
    return fromStatus(error.getStatus(), error);
  }
  const candidate = error as {
    status?: unknown;
    type?: unknown;
    code?: unknown;
    driverError?: { code?: unknown };
  } | null;
  // Express' body parsers raise plain errors with a status.
  if (typeof candidate?.type === 'string' && typeof candidate.status === 'number') {
    return fromStatus(candidate.status, error);
  }
  const code = candidate?.driverError?.code ?? candidate?.code;
  if (isDatabaseError(error) && typeof code === 'string' && isUnavailable(code)) {
    return new ServiceUnavailableError(error);
  }
  return new InternalError({}, { cause: error });
}

function isUnavailable(code: string): boolean {
  // SQLite adds the failed operation to some codes: SQLITE_IOERR_WRITE.
  return UNAVAILABLE_CODES.has(code) || UNAVAILABLE_CODES.has(code.replace(/^(SQLITE_[A-Z]+)_.*$/, '$1'));
}

function fromStatus(status: number, cause: unknown): ApiError {
  switch (status) {
    case 400:
      return new InvalidJsonError({}, { cause });
    case 404:
      return new NotFoundError({}, { cause });
    case 405:
      return new MethodNotAllowedError({}, { cause });
    case 406:
      return new NotAcceptableError({}, { cause });
    case 413:
      return new PayloadTooLargeError({}, { cause });
    case 415:
      return new UnsupportedMediaTypeError({}, { cause });
    case 503:
      return new ServiceUnavailableError(cause);
    default:
      return new InternalError({}, { cause });
  }
}

function isDatabaseError(error: unknown): boolean {
  const candidate = error as { driverError?: unknown; sqlState?: unknown; fatal?: unknown; code?: unknown } | null;
  return (
    candidate?.driverError !== undefined ||
    candidate?.fatal !== undefined ||
    candidate?.code === 'DATABASE_UNAVAILABLE' ||
    candidate?.code === 'SQLITE_BUSY'
  );
}
