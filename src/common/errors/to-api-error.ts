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
import { databaseRefusal } from './database-refusal';
import { fromHttpException } from './http-failure';
import { InvalidParameterError } from './validation.errors';

/**
 * The failure that a caller sees for a thrown value. It has no side effects. Unknown values become an `InternalError`.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  if (error instanceof HttpException) {
    return fromHttpException(error);
  }
  const candidate = error as { status?: unknown; type?: unknown } | null;
  // Express' body parsers raise plain errors with a status.
  if (typeof candidate?.type === 'string' && typeof candidate.status === 'number') {
    return fromStatus(candidate.status, error);
  }
  if (isDatabaseError(error) && databaseRefusal(error) !== null) {
    return new ServiceUnavailableError(error);
  }
  if (isSearchLimit(error)) {
    return new InvalidParameterError([{ field: 'q', reason: 'too_slow_to_find' }]);
  }
  return new InternalError({}, { cause: error });
}

/** MySQL limits the work of one regular expression: a search for `ss` 95 times in 60,000 times `s` exceeds it. */
function isSearchLimit(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 'ER_REGEXP_TIME_OUT' || code === 'ER_REGEXP_STACK_OVERFLOW';
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

/** A full disk of this machine counts too: files are on it, and the log of SQLite. */
const OWN_CODES = /^(DATABASE_UNAVAILABLE|SQLITE_\w+|ENOSPC|EDQUOT)$/;

function isDatabaseError(error: unknown): boolean {
  const { driverError, fatal, sqlState, code } = (error ?? {}) as Record<string, unknown>;
  const isOfDriver = [driverError, fatal, sqlState].some((part) => part !== undefined);
  return isOfDriver || OWN_CODES.test(String(code));
}
