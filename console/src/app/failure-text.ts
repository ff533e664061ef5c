import { ApiError, ConnectionError } from 'chat-service-client';
import { texts } from './i18n/languages';

const t = texts('shell');

/** One sentence about a failure, in the language of the person. The service writes its own. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof ConnectionError) return navigator.onLine ? t('service_unreachable') : t('offline');
  return t('unexpected');
}
