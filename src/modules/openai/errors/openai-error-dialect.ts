import type { ApiError, DocumentedFailure } from '../../../common/errors/api-error';
import { errorMessage } from '../../../common/errors/error-body';
import type { ErrorDialect } from '../../../common/errors/error-dialect';
import {
  type FieldFault,
  InvalidParameterError,
  ValidationFailedError,
} from '../../../common/errors/validation.errors';
import type { Language } from '../../../common/i18n/language';
import { validationMessage } from '../../../common/i18n/validation-message';
import { ModelProviderError } from '../../../integrations/llm/port/llm.errors';
import { type ModelFeature } from '../../../integrations/llm/port/message-parts';
import {
  OPENAI_ERROR_NAMES,
  OPENAI_ERROR_OBJECT_SCHEMA,
  OPENAI_ERROR_SCHEMA,
  type OpenAiErrorBody,
} from './openai-error-body';

/**
 * Error codes that OpenAI's clients check, and codes for other body errors in OpenAI's style. All other codes are those
 * of this service.
 */
const KNOWN_CODES: Record<string, string> = {
  INVALID_JSON: 'invalid_json',
  UNAUTHORIZED: 'invalid_api_key',
  TOKEN_INVALID: 'invalid_api_key',
  API_KEY_INVALID: 'invalid_api_key',
  API_KEY_EXPIRED: 'invalid_api_key',
  MODEL_NOT_FOUND: 'model_not_found',
  AGENT_NOT_FOUND: 'model_not_found',
  PREVIOUS_RESPONSE_NOT_FOUND: 'previous_response_not_found',
  CONFLICTING_PARAMETERS: 'mutually_exclusive_parameters',
  UNSUPPORTED_PARAMETER: 'unsupported_parameter',
  RATE_LIMIT_EXCEEDED: 'rate_limit_exceeded',
  QUOTA_EXCEEDED: 'insufficient_quota',
  BUDGET_EXCEEDED: 'insufficient_quota',
  MODEL_NOT_PRICED: 'insufficient_quota',
  CONTEXT_TOO_LONG: 'context_length_exceeded',
  CONTENT_REFUSED: 'content_filter',
  CONTENT_BLOCKED: 'content_blocked',
  FEATURE_NOT_SUPPORTED: 'feature_not_supported',
  FILE_EMPTY: 'empty_file',
  FILE_TOO_LARGE: 'file_too_large',
  TOO_MANY_FILES: 'too_many_files',
  FILE_TYPE_NOT_SUPPORTED: 'file_type_not_supported',
  FILE_UNREADABLE: 'file_unreadable',
  FILE_URL_FORBIDDEN: 'file_url_forbidden',
  SERVER_TOOLS_UNAVAILABLE: 'external_connector_error',
  KNOWLEDGE_EXPIRED: 'vector_store_expired',
  INVALID_UPLOAD_STATE: 'invalid_upload_state',
};

/** Codes of validation errors, by reason. */
const FAULT_CODES: Record<string, string> = {
  required: 'missing_required_parameter',
  wrong_type: 'invalid_type',
  too_long: 'string_above_max_length',
  invalid_multipart: 'invalid_multipart',
};

/** The code of all other validation errors. */
const INVALID_VALUE = 'invalid_value';

/** Errors whose code depends on the broken rule. */
const FAULTS: DocumentedFailure[] = [InvalidParameterError, ValidationFailedError];

/** An example error for each code of a validation error. */
const BROKEN_RULES = [...Object.keys(FAULT_CODES), 'not_allowed'].map(
  (reason) => new InvalidParameterError([{ field: 'metadata', reason, values: { maximum: 512 } }]),
);

/** Retrying after some seconds does not help with these errors. */
const NOTHING_LEFT = ['QUOTA_EXCEEDED', 'BUDGET_EXCEEDED', 'MODEL_NOT_PRICED'];

/** A guard refuses the same text again. */
const BLOCKED = 'CONTENT_BLOCKED';

const MODEL_CODES = ['MODEL_NOT_FOUND', 'AGENT_NOT_FOUND', 'AGENT_INACTIVE', 'MEMBERSHIP_REQUIRED'];

/** Errors whose status differs: OpenAI's clients repeat 409. */
const OTHER_STATUSES: Record<string, number> = { KNOWLEDGE_EXPIRED: 400 };

/** The header that prevents retries by OpenAI's clients. */
export const RETRY = 'x-should-retry';

/**
 * Errors in OpenAI's format: `{error: {message, type, param, code}}`. OpenAI's API has no 422, so such errors get 400.
 */
export const OPENAI_ERRORS = {
  isDocumented: true,
  names: OPENAI_ERROR_NAMES,
  schemas: { body: OPENAI_ERROR_SCHEMA, error: OPENAI_ERROR_OBJECT_SCHEMA },
  contentType: 'application/json',
  codes: allCodes,
  hasDetails: false,
  status: ({ code, status }) => OTHER_STATUSES[code] ?? (status === 422 ? 400 : status),
  documented: (failure) => (FAULTS.includes(failure) ? BROKEN_RULES : [failure]),
  code: codeOf,
  body: (error, language, path): OpenAiErrorBody => ({
    error: {
      message: messageOf(error, language),
      type: typeOf(error),
      param: paramOf(error, path),
      code: codeOf(error),
    },
  }),
  headers: (error): Record<string, string> => (isFinal(error) ? { [RETRY]: 'false' } : {}),
} satisfies ErrorDialect;

/** The codes of validation errors, and the mapped codes of the service. */
function allCodes(codes: string[]): string[] {
  const others = codes.filter((code) => code !== ValidationFailedError.code);
  const all = [...Object.values(FAULT_CODES), INVALID_VALUE, ...others.map((code) => KNOWN_CODES[code] ?? code)];
  return [...new Set(all)].sort();
}

function codeOf(error: ApiError): string {
  const fault = faultOf(error);
  return fault ? (FAULT_CODES[fault.reason] ?? INVALID_VALUE) : (KNOWN_CODES[error.code] ?? error.code);
}

function typeOf({ code, status }: ApiError): string {
  if (NOTHING_LEFT.includes(code)) {
    return 'insufficient_quota';
  }
  if (status === 429) {
    return 'rate_limit_error';
  }
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** The message names the invalid field in the same format as `param`. */
function messageOf(error: ApiError, language: Language): string {
  const fault = faultOf(error);
  return fault
    ? validationMessage(language, { ...fault, field: inBrackets(fault.field) })
    : errorMessage(error, language);
}

/** The invalid parameter, such as `messages[0].content`. */
function paramOf(error: ApiError, path: string): string | null {
  const { feature, field } = error.details;
  const input = /\/chat\/completions(\?|$)/i.test(path) ? 'messages' : 'input';
  switch (error.code) {
    case 'CONTEXT_TOO_LONG':
    case 'CONTENT_REFUSED':
    case 'CONTENT_BLOCKED':
      return input;
    case 'FEATURE_NOT_SUPPORTED':
      return parameterOf(feature as ModelFeature, input);
  }
  if (MODEL_CODES.includes(error.code)) {
    return 'model';
  }
  return typeof field === 'string' && field !== 'body' ? inBrackets(field) : null;
}

function inBrackets(path: string): string {
  return path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
}

function parameterOf(feature: ModelFeature, input: string): string {
  switch (feature) {
    case 'tools':
      return 'tools';
    case 'response_format':
      return input === 'messages' ? 'response_format' : 'text.format';
    default:
      return input;
  }
}

function faultOf(error: ApiError): FieldFault | undefined {
  return error instanceof InvalidParameterError || error instanceof ValidationFailedError ? error.faults[0] : undefined;
}

/**
 * Whether a retry of the request would fail too. Without the header `x-should-retry`, OpenAI's clients retry 409, 429
 * and 5xx.
 */
function isFinal(error: ApiError): boolean {
  const isRefused = error instanceof ModelProviderError && error.status === 502 && !error.retryable;
  return error.status === 409 || error.code === BLOCKED || NOTHING_LEFT.includes(error.code) || isRefused;
}
