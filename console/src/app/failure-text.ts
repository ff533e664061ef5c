import { ApiError, ConnectionError } from 'chat-service-client';
import { texts } from './i18n/languages';

const t = texts('shell');

/**
 * One sentence about a failure, in the language of the person. The service writes its own.
 *
 * @param goesOn whether it is done again by itself when the network is back
 */
export function failureText(error: unknown, goesOn = false): string {
  if (error instanceof ApiError) return error.message;
  if (!(error instanceof ConnectionError)) return t('unexpected');
  if (navigator.onLine) return t('service_unreachable');
  return t(goesOn ? 'offline' : 'no_connection');
}
