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
 * Codes that clients of OpenAI look for, and those of other faults of a body, in the style of OpenAI. All others are those of
 * the whole service.
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
  FEATURE_NOT_SUPPORTED: 'feature_not_supported',
  FILE_TOO_LARGE: 'file_too_large',
  TOO_MANY_FILES: 'too_many_files',
  FILE_TYPE_NOT_SUPPORTED: 'file_type_not_supported',
  FILE_UNREADABLE: 'file_unreadable',
  FILE_URL_FORBIDDEN: 'file_url_forbidden',
  SERVER_TOOLS_UNAVAILABLE: 'external_connector_error',
};

/** Codes of a broken rule, by its reason. */
const FAULT_CODES: Record<string, string> = {
  required: 'missing_required_parameter',
  wrong_type: 'invalid_type',
  too_long: 'string_above_max_length',
};

/** The code of every other broken rule. */
const INVALID_VALUE = 'invalid_value';

/** Their code depends on the rule that is broken. */
const FAULTS: DocumentedFailure[] = [InvalidParameterError, ValidationFailedError];

/** A failure for each code of a broken rule. */
const BROKEN_RULES = [...Object.keys(FAULT_CODES), 'not_allowed'].map(
  (reason) => new InvalidParameterError([{ field: 'metadata', reason, values: { maximum: 512 } }]),
);

/** Nothing may be spent: waiting for some seconds does not help. */
const NOTHING_LEFT = ['QUOTA_EXCEEDED', 'BUDGET_EXCEEDED', 'MODEL_NOT_PRICED'];

const MODEL_CODES = ['MODEL_NOT_FOUND', 'AGENT_NOT_FOUND', 'AGENT_INACTIVE', 'MEMBERSHIP_REQUIRED'];

/** Tells OpenAI's clients not to try again. */
export const RETRY = 'x-should-retry';

/** Failures as OpenAI's API has them: `{error: {message, type, param, code}}`. It knows no 422: such failures are 400. */
export const OPENAI_ERRORS = {
  isDocumented: true,
  names: OPENAI_ERROR_NAMES,
  schemas: { body: OPENAI_ERROR_SCHEMA, error: OPENAI_ERROR_OBJECT_SCHEMA },
  contentType: 'application/json',
  codes: allCodes,
  hasDetails: false,
  status: ({ status }) => (status === 422 ? 400 : status),
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

/** Those of broken rules, and those of the service as they are here. */
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

/** The sentence names the place of a fault as `param` does. */
function messageOf(error: ApiError, language: Language): string {
  const fault = faultOf(error);
  return fault
    ? validationMessage(language, { ...fault, field: inBrackets(fault.field) })
    : errorMessage(error, language);
}

/** The parameter at fault, as `messages[0].content`. */
function paramOf(error: ApiError, path: string): string | null {
  const { feature, field } = error.details;
  const input = /\/chat\/completions(\?|$)/i.test(path) ? 'messages' : 'input';
  switch (error.code) {
    case 'CONTEXT_TOO_LONG':
    case 'CONTENT_REFUSED':
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

/** Whether the same request fails again. OpenAI's clients repeat 409, 429 and 5xx unless they are told this. */
function isFinal(error: ApiError): boolean {
  const isRefused = error instanceof ModelProviderError && error.status === 502 && !error.retryable;
  return error.status === 409 || NOTHING_LEFT.includes(error.code) || isRefused;
}
