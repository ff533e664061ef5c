import { createChatClient } from 'chat-service-client';
import { language } from './i18n/languages';
import { PendingWrites } from './pending-writes';
import { visit } from './visit';

/**
 * The service's API, called through its public client. The refresh token is in a cookie that no script can read. Over
 * plain HTTP from another machine, browsers send no Fetch Metadata, so the service sets no such cookie and the tokens
 * stay in memory until the page closes. There are no automatic retries: a page shows each failure at once, and the user
 * decides whether to try again.
 */
export const api = createChatClient({
  session: isSecureContext ? 'cookie' : 'memory',
  language,
  maxRetries: 0,
  timeout: 0,
  fetch: askAsVisitor,
});

/**
 * A request whose user has signed out never settles. Code that awaits it therefore stops, and cannot change the pages
 * of the next user.
 */
async function askAsVisitor(...request: Parameters<typeof fetch>): Promise<Response> {
  const asker = visit();
  try {
    const asked = fetch(...request).then(whole);
    const answer = await (isRead(request) ? asked : asker.part(PendingWrites).during(asked));
    if (!isAuthorized(request) || visit() === asker) return answer;
  } catch (error) {
    if (!isAuthorized(request) || visit() === asker) throw error;
  }
  return new Promise(() => undefined);
}

function isRead([, options]: Parameters<typeof fetch>): boolean {
  return (options?.method ?? 'GET') === 'GET';
}

/** Session requests carry no token. They belong to the browser, not to a visit. */
function isAuthorized([, options]: Parameters<typeof fetch>): boolean {
  return 'authorization' in (options?.headers ?? {});
}

/**
 * Reads the whole body first, so that a visit that ends before then drops the response. Streams are returned as they
 * are: their readers end with the visit.
 */
async function whole(response: Response): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // The `Response` constructor rejects a body for status 204, yet some browsers return one.
  if (isStream || response.body === null || response.status === 204) return response;
  return new Response(await response.blob(), response);
}

/** Saves a file to the browser's downloads. */
export function saveFile(content: Blob | string, name: string): void {
  const address = URL.createObjectURL(typeof content === 'string' ? new Blob([content]) : content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // By then, the browser has started to read the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
