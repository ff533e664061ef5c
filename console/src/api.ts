import { createChatClient } from 'chat-service-client';
import { language } from './languages';

/**
 * The service, through its public client. The refresh token is in a cookie that no script can read. From a page that came
 * over plain http from another machine, browsers do not say where its requests come from (Fetch Metadata), so the service
 * gives it no such cookie, and the tokens are in memory until the page is left.
 */
export const api = createChatClient({ session: isSecureContext ? 'cookie' : 'memory', language });

/** Gives a file to the browser's downloads. */
export function saveFile(content: Blob | string, name: string): void {
  const address = URL.createObjectURL(typeof content === 'string' ? new Blob([content]) : content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read the file by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
