import { type ModelProviderError, ProviderError } from '../port/llm.errors';
import { isObject, type JsonObject } from './json-object';
import { failureForAnswer, failureForStatus, failureInStream } from './refusals/provider-failure';

/** HTTP statuses for the names of errors that servers send inside a stream, without a status. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['bad_request_error', 400],
  ['badrequesterror', 400],
  ['context_length_exceeded', 400],
  ['data_inspection_failed', 400],
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['invalid_api_key', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['insufficient_quota', 429],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['api_error', 500],
  ['server_overloaded', 503],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** The error in an event or a JSON response, in any of the forms that servers use; null: there is none. */
export function findError(event: JsonObject): unknown {
  const { error, object, detail } = event;
  if (isStated(error)) {
    return error;
  }
  if (object === 'error' || event.type === 'error' || (detail !== undefined && isStated(detail))) {
    return event;
  }
  const { message, choices } = event;
  return typeof message === 'string' && choices === undefined && statusIn(event) !== undefined ? event : null;
}

function isStated(error: unknown): boolean {
  return (typeof error === 'object' && error !== null) || (typeof error === 'string' && error !== '');
}

/**
 * The failure for an error in a stream.
 *
 * @param event the whole event: some servers put the status next to the error
 */
export function failureOfError(error: unknown, event: unknown = error): ModelProviderError {
  const status = statusIn(error) ?? statusIn(event) ?? statusNamed(error);
  const text = errorText(error);
  return status === undefined ? failureOfUnknown(text) : failureInStream(status, text);
}

/** An error without a known status: a refusal if its text says so, otherwise a fault of the server. */
function failureOfUnknown(text: string): ModelProviderError {
  const refusal = failureInStream(400, text);
  return refusal instanceof ProviderError ? failureForAnswer(`An error in the stream: ${text}`, true) : refusal;
}

/** The failure for an error in a JSON response with status 200. The error's number counts as the status. */
export function failureOfBody(error: unknown, body: unknown, retryAfter?: string | string[]): ModelProviderError {
  const status = statusIn(error) ?? statusIn(body);
  return status === undefined ? failureOfError(error, body) : failureForStatus(status, errorText(error), retryAfter);
}

function errorText(error: unknown): string {
  return typeof error === 'string' ? error : JSON.stringify(error);
}

function statusIn(error: unknown): number | undefined {
  if (!isObject(error)) {
    return undefined;
  }
  const numbers = [error.code, error.status, error.status_code].map(Number);
  return numbers.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
}

function statusNamed(error: unknown): number | undefined {
  if (!isObject(error)) {
    return undefined;
  }
  const names = [error.code, error.type].map((name) => STATUSES.get(String(name).toLowerCase()));
  return names.find((status) => status !== undefined);
}
