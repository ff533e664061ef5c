import type { ApiError } from '../../../common/errors/api-error';
import { InternalError, ServiceUnavailableError } from '../../../common/errors/common.errors';
import { toApiError } from '../../../common/errors/to-api-error';
import {
  ContentRefusedError,
  ContextTooLongError,
  FeatureNotSupportedError,
  ModelNotPricedError,
  ModelProviderError,
  type ModelProviderErrorOptions,
  ProviderError,
  ProviderTimeoutError,
  ProviderUnavailableError,
} from '../../../integrations/llm/port/llm.errors';
import { ReplyUnavailableError } from '../generation.errors';
import type { ReplyFailure } from './reply-row';

/** Failures that clients may see. Every other error is shown as an internal one. */
const FAILURES = [
  ContentRefusedError,
  ContextTooLongError,
  FeatureNotSupportedError,
  ModelNotPricedError,
  ProviderError,
  ProviderTimeoutError,
  ProviderUnavailableError,
  ReplyUnavailableError,
];

/** The codes of failed replies. */
export const REPLY_ERROR_CODES = [...FAILURES, InternalError].map(({ code }) => code);

/** What is stored about the error that ended a reply. */
export function toReplyFailure(thrown: unknown): ReplyFailure {
  const error = toApiError(thrown);
  const details = Object.entries(error.details).filter(isFact);
  return {
    code: FAILURES.some(({ code }) => code === error.code) ? error.code : InternalError.code,
    retryable: error instanceof ModelProviderError ? error.retryable : true,
    ...(error.retryAfterSeconds !== undefined && { retry_after: error.retryAfterSeconds }),
    ...(details.length > 0 && { details: Object.fromEntries(details) }),
  };
}

/**
 * The error that a client gets for a failed reply, now or when it repeats the request.
 *
 * @param details further members, such as the ids of the stored messages
 */
export function replyError(failure: ReplyFailure, details: Record<string, unknown> = {}): ApiError {
  const errorClass: new (details: Record<string, unknown>, options: ModelProviderErrorOptions) => ApiError =
    FAILURES.find(({ code }) => code === failure.code) ?? InternalError;
  const { retryable, retry_after: retryAfterSeconds } = failure;
  // The failure was logged with its cause when the reply ended.
  return new errorClass({ ...failure.details, ...details }, { retryable, retryAfterSeconds, isLogged: false });
}

function isFact(entry: [string, unknown]): entry is [string, string | number] {
  return typeof entry[1] === 'string' || typeof entry[1] === 'number';
}

/**
 * Whether a failed write should be repeated: the database is away, or it rolled the transaction back in favour of another.
 * Every other fault would only happen again.
 */
export function isPassingFault(error: unknown): boolean {
  // mysql2 marks errors that ended a connection; some of them have no code.
  const { driverError, fatal } = error as { driverError?: { fatal?: unknown }; fatal?: unknown };
  return (driverError?.fatal ?? fatal) === true || toApiError(error) instanceof ServiceUnavailableError;
}
