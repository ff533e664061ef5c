import { fake } from '../../../../test/support/fake';
import type { ApiError } from '../../../common/errors/api-error';
import { ANTHROPIC_ERRORS } from './anthropic-error-dialect';

/** Our status and code, the status and type in Anthropic's API, and whether its clients must not retry. */
const FORMS: [number, string, number, string, boolean][] = [
  [400, 'INVALID_JSON', 400, 'invalid_request_error', false],
  [422, 'VALIDATION_ERROR', 400, 'invalid_request_error', false],
  [401, 'TOKEN_EXPIRED', 401, 'authentication_error', true],
  [403, 'SCOPE_REQUIRED', 403, 'permission_error', false],
  [404, 'NOT_FOUND', 404, 'not_found_error', false],
  [405, 'METHOD_NOT_ALLOWED', 405, 'invalid_request_error', false],
  [406, 'NOT_ACCEPTABLE', 406, 'invalid_request_error', false],
  [409, 'IDEMPOTENCY_CONFLICT', 409, 'conflict_error', true],
  [413, 'PAYLOAD_TOO_LARGE', 413, 'request_too_large', false],
  [415, 'UNSUPPORTED_MEDIA_TYPE', 415, 'invalid_request_error', false],
  [429, 'RATE_LIMIT_EXCEEDED', 429, 'rate_limit_error', false],
  [429, 'TOO_MANY_CONCURRENT', 429, 'rate_limit_error', false],
  [429, 'QUOTA_EXCEEDED', 429, 'billing_error', true],
  [429, 'BUDGET_EXCEEDED', 429, 'billing_error', true],
  [429, 'MODEL_NOT_PRICED', 429, 'billing_error', true],
  [500, 'INTERNAL_ERROR', 500, 'api_error', false],
  [502, 'PROVIDER_ERROR', 502, 'api_error', false],
  [503, 'SERVICE_UNAVAILABLE', 503, 'api_error', false],
  [503, 'SERVICE_OVERLOADED', 529, 'overloaded_error', false],
  [503, 'PROVIDER_UNAVAILABLE', 529, 'overloaded_error', false],
  [504, 'PROVIDER_TIMEOUT', 504, 'timeout_error', false],
];

describe('errors in the format of Anthropic’s API', () => {
  it.each(FORMS)('have for %i %s the status %i and the type %s', (status, code, shown, type, isFinal) => {
    const error = fake<ApiError>({ status, code, sentence: 'A sentence.', details: { more: 1 } });
    expect(ANTHROPIC_ERRORS.status(error)).toBe(shown);
    expect(ANTHROPIC_ERRORS.body(error, 'en', '', new Date(), 'an-id')).toMatchObject({
      type: 'error',
      error: { type, details: { error_code: code.toLowerCase(), more: 1 } },
      request_id: 'an-id',
    });
    expect(ANTHROPIC_ERRORS.headers(error)).toEqual(isFinal ? { 'x-should-retry': 'false' } : {});
  });
});
