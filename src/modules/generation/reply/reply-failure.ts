import { handleWhen, IterableBackoff, retry } from 'cockatiel';
import type { ApiError } from '../../../common/errors/api-error';
import { InternalError, ServiceUnavailableError } from '../../../common/errors/common.errors';
import { toApiError } from '../../../common/errors/to-api-error';
import { BudgetExceededError } from '../../../common/money/spending.errors';
import { SessionRevokedError } from '../../../common/security/security.errors';
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
import { ProviderRefusalError } from '../../../integrations/llm/port/provider-refusal';
import { GuardUnavailableError } from '../../guard/guard.api';
import { QuotaExceededError } from '../../usage/usage.api';
import { ReplyUnavailableError } from '../generation.errors';
import type { ReplyFailure } from './reply-row';

/** Failures that clients may see. Every other error is shown as an internal one. */
const FAILURES = [
  ContentRefusedError,
  ContextTooLongError,
  FeatureNotSupportedError,
  GuardUnavailableError,
  ModelNotPricedError,
  ProviderError,
  ProviderTimeoutError,
  ProviderUnavailableError,
  ReplyUnavailableError,
];

/** Errors that refuse another round of a reply with tool calls. They match the refusal of a message. */
const REFUSALS = new Map<string, (details: object, retryAfterSeconds?: number) => ApiError>([
  [QuotaExceededError.code, (details, seconds = 0) => new QuotaExceededError(details as QuotaDetails, seconds)],
  [
    BudgetExceededError.code,
    (details, seconds) => new BudgetExceededError({ resets_at: null, ...details } as unknown as BudgetDetails, seconds),
  ],
]);

type QuotaDetails = ConstructorParameters<typeof QuotaExceededError>[0];
type BudgetDetails = ConstructorParameters<typeof BudgetExceededError>[0];

/** The codes of failed replies. */
export const REPLY_ERROR_CODES = [...[...FAILURES, InternalError].map(({ code }) => code), ...REFUSALS.keys()];

/** Whether the reply failed because another round was refused. */
export function isRefusal({ code }: ReplyFailure): boolean {
  return REFUSALS.has(code) || code === ModelNotPricedError.code;
}

/** The stored form of the error that ended a reply. */
export function toReplyFailure(thrown: unknown): ReplyFailure {
  const error = toApiError(thrown);
  const details = Object.entries(error.details).filter(isFact);
  return {
    code: codeOf(error),
    retryable: error instanceof ModelProviderError ? error.retryable : true,
    ...(error.retryAfterSeconds !== undefined && { retry_after: error.retryAfterSeconds }),
    ...(details.length > 0 && { details: Object.fromEntries(details) }),
  };
}

/** The text of a refusal is not stored, so for all later readers it is like other faults of the provider. */
function codeOf(error: ApiError): string {
  if (error instanceof ProviderRefusalError) {
    return ProviderError.code;
  }
  return REPLY_ERROR_CODES.includes(error.code) ? error.code : InternalError.code;
}

/**
 * The error that a client receives for a failed reply, also when it repeats the request.
 *
 * @param details additional members, such as the ids of the stored messages
 */
export function replyError(failure: ReplyFailure, details: Record<string, unknown> = {}): ApiError {
  const errorClass: new (details: Record<string, unknown>, options: ModelProviderErrorOptions) => ApiError =
    [...FAILURES, SessionRevokedError].find(({ code }) => code === failure.code) ?? InternalError;
  const { retryable, retry_after: retryAfterSeconds } = failure;
  const refusal = REFUSALS.get(failure.code);
  if (refusal !== undefined) {
    return refusal({ ...failure.details, ...details }, retryAfterSeconds);
  }
  // The failure was logged with its cause when the reply ended.
  return new errorClass({ ...failure.details, ...details }, { retryable, retryAfterSeconds, isLogged: false });
}

function isFact(entry: [string, unknown]): entry is [string, string | number] {
  return typeof entry[1] === 'string' || typeof entry[1] === 'number';
}

/**
 * Whether a failed write should be repeated: the database is unavailable, or it rolled the transaction back because of
 * a conflict. Every other fault would happen again.
 */
export function isPassingFault(error: unknown): boolean {
  // mysql2 marks errors that closed a connection as fatal. Some of them have no code.
  const { driverError, fatal } = error as { driverError?: { fatal?: unknown }; fatal?: unknown };
  return (driverError?.fatal ?? fatal) === true || toApiError(error) instanceof ServiceUnavailableError;
}

/** Milliseconds between attempts. The last value repeats. */
const PAUSES = [50, 200, 1_000, 3_000];

const whileAway = retry(handleWhen(isPassingFault), { maxAttempts: Infinity, backoff: new IterableBackoff(PAUSES) });

/** Repeats work that fails because the database is temporarily unavailable. */
export function retryWhileDatabaseIsAway<Result>(work: () => Promise<Result>): Promise<Result> {
  return whileAway.execute(work);
}
