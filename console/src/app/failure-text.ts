import { ApiError, ConnectionError } from 'chat-service-client';
import { texts } from './i18n/languages';

const t = texts('shell');

/**
 * An error message in the user's language. The service's errors already include one.
 *
 * @param goesOn whether the request is repeated automatically when the network is back
 */
export function failureText(error: unknown, goesOn = false): string {
  if (error instanceof ApiError) return error.message;
  if (!(error instanceof ConnectionError)) return t('unexpected');
  if (navigator.onLine) return t('service_unreachable');
  return t(goesOn ? 'offline' : 'no_connection');
}
