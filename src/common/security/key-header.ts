import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_PREFIX } from './api-key-identity';

/** The form of our keys and of signed tokens, in either header. */
const OURS = new RegExp(`^(?:Bearer +)?(?:${API_KEY_PREFIX}|eyJ)\\S*$`, 'i');

/**
 * Moves the credential of an API with a header of its own (`x-api-key`) to `Authorization`, where the guards read it.
 * If both headers are sent, the credential in the service's own format counts; if both have it, `Authorization` counts.
 *
 * @param name of the API's header in lower case. Undefined: the API has none
 */
export function adoptKeyHeader(headers: IncomingHttpHeaders, name: string | undefined): void {
  const key = name === undefined ? undefined : headers[name];
  if (typeof key !== 'string' || key === '') {
    return;
  }
  const { authorization } = headers;
  if (authorization === undefined || (OURS.test(key) && !OURS.test(authorization))) {
    headers.authorization = `Bearer ${key}`;
  }
}
