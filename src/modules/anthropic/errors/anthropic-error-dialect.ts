import type { ApiError } from '../../../common/errors/api-error';
import { errorMessage } from '../../../common/errors/error-body';
import type { ErrorDialect } from '../../../common/errors/error-dialect';
import { FieldFaultError } from '../../../common/errors/validation.errors';
import type { Language } from '../../../common/i18n/language';
import { ContextTooLongError } from '../../../integrations/llm/port/llm.errors';
import { ProviderRefusalError } from '../../../integrations/llm/port/provider-refusal';
import { UnknownModelError } from '../anthropic.errors';
import {
  ANTHROPIC_ERROR_NAMES,
  ANTHROPIC_ERROR_OBJECT_SCHEMA,
  ANTHROPIC_ERROR_SCHEMA,
  type AnthropicErrorBody,
  type AnthropicErrorType,
} from './anthropic-error-body';

/** The header that prevents retries by Anthropic's clients. */
export const RETRY = 'x-should-retry';

/** Retrying after some seconds does not help with these errors. */
const NOTHING_LEFT = ['QUOTA_EXCEEDED', 'BUDGET_EXCEEDED', 'MODEL_NOT_PRICED'];

/** A guard refuses the same text again. */
const BLOCKED = 'CONTENT_BLOCKED';

/** Errors with status 503 that Anthropic's clients know as 529: the provider, or this service, has too much to do. */
const OVERLOADED = ['PROVIDER_UNAVAILABLE', 'SERVICE_OVERLOADED'];

const OVERLOADED_STATUS = 529;

const TYPES: Record<number, AnthropicErrorType> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  [OVERLOADED_STATUS]: 'overloaded_error',
};

/**
 * Errors in Anthropic's format: `{type: "error", error: {type, message, details}, request_id}`. Anthropic's API has no
 * 422, so such errors get 400.
 */
export const ANTHROPIC_ERRORS = {
  isDocumented: false,
  names: ANTHROPIC_ERROR_NAMES,
  schemas: { body: ANTHROPIC_ERROR_SCHEMA, error: ANTHROPIC_ERROR_OBJECT_SCHEMA },
  contentType: 'application/json',
  codes: (all) => all.map((code) => code.toLowerCase()),
  hasDetails: false,
  namesRequest: true,
  status: statusOf,
  documented: (failure) => [failure],
  code: ({ code }) => code.toLowerCase(),
  body: (error, language, _path, _at, requestId) => anthropicErrorBody(error, language, requestId ?? null),
  headers: (error): Record<string, string> => ({
    ...(isFinal(error) && { [RETRY]: 'false' }),
    ...(error instanceof ProviderRefusalError && error.headers),
  }),
} satisfies ErrorDialect;

/** An error as the body of a response, or as the data of an `error` event. */
export function anthropicErrorBody(error: ApiError, language: Language, requestId: string | null): AnthropicErrorBody {
  if (error instanceof ProviderRefusalError) {
    return { type: 'error', error: error.refusal, request_id: requestId };
  }
  return {
    type: 'error',
    error: {
      type: typeOf(error),
      message: verbatimMessage(error) ?? messageOf(error, language),
      details: { ...error.details, error_code: error.code.toLowerCase() },
    },
    request_id: requestId,
  };
}

function statusOf(error: ApiError): number {
  const { status, code } = error;
  if (OVERLOADED.includes(code)) {
    return OVERLOADED_STATUS;
  }
  return status === 422 && !(error instanceof ProviderRefusalError) ? 400 : status;
}

function typeOf(error: ApiError): AnthropicErrorType {
  const status = statusOf(error);
  if (NOTHING_LEFT.includes(error.code)) {
    return 'billing_error';
  }
  return TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

/** The message begins with the invalid field, as in Anthropic's API. */
function messageOf(error: ApiError, language: Language): string {
  const { field } = error.details;
  const isOfField = error instanceof FieldFaultError && typeof field === 'string' && field !== 'body';
  return isOfField ? `${field}: ${errorMessage(error, language)}` : errorMessage(error, language);
}

/**
 * Texts that Anthropic's clients parse, so they are never translated. Claude Code bases its compaction on the numbers
 * of a prompt that is too long.
 */
function verbatimMessage(error: ApiError): string | null {
  if (error instanceof UnknownModelError) {
    return `model: ${error.model}`;
  }
  const { tokens, limit } = error.details;
  const hasNumbers = typeof tokens === 'number' && typeof limit === 'number';
  return error instanceof ContextTooLongError && hasNumbers
    ? `prompt is too long: ${tokens} tokens > ${limit} maximum`
    : null;
}

/**
 * Whether a retry of the request would fail too. Without the header `x-should-retry`, Anthropic's clients retry 409,
 * 429 and 5xx, and programs that refresh their key retry 401.
 */
function isFinal({ status, code }: ApiError): boolean {
  return status === 401 || status === 409 || code === BLOCKED || NOTHING_LEFT.includes(code);
}
