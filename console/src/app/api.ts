import { createChatClient } from 'chat-service-client';
import { language } from './i18n/languages';
import { PendingWrites } from './pending-writes';
import { visit } from './visit';

/**
 * The service, through its public client. The refresh token is in a cookie that no script can read. From a page that came
 * over plain http from another machine, browsers do not say where its requests come from (Fetch Metadata), so the service
 * gives it no such cookie, and the tokens are in memory until the page is left. A page shows a failure at once: people decide
 * whether to try again.
 */
export const api = createChatClient({
  session: isSecureContext ? 'cookie' : 'memory',
  language,
  maxRetries: 0,
  timeout: 0,
  fetch: askAsVisitor,
});

/**
 * What somebody asked for who has left meanwhile is never answered. So nothing that was under way goes on in the pages of
 * the next person, and no page must think of that itself.
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

/** Sessions begin and end without a token: they belong to the browser. */
function isAuthorized([, options]: Parameters<typeof fetch>): boolean {
  return 'authorization' in (options?.headers ?? {});
}

/** An answer with its body, unless that comes bit by bit: whoever reads it leaves with its visit. */
async function whole(response: Response): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // An answer without content cannot be made anew, and browsers give it a body all the same.
  if (isStream || response.body === null || response.status === 204) return response;
  return new Response(await response.blob(), response);
}

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
