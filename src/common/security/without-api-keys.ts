import { API_KEY_PREFIX } from './api-key-identity';

const KEY = new RegExp(`${API_KEY_PREFIX}[0-9A-Za-z]{20,}`, 'g');

/** What a caller sent, as the service may write it down: without API keys that were put in the wrong place. */
export function withoutApiKeys(text: string): string {
  return text.includes(API_KEY_PREFIX) ? text.replace(KEY, `${API_KEY_PREFIX}[hidden]`) : text;
}
