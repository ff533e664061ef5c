import type { IncomingHttpHeaders } from 'node:http';

const FORWARDED = new Set(['accept', 'content-type', 'user-agent', 'x-app']);

/** Facts of the client program. */
const FORWARDED_PREFIXES = ['x-stainless-', 'x-claude-code-'];

/** Describes the client's credential, not that of the service. */
const OAUTH_BETA = 'oauth-2025-04-20';

/**
 * The headers of a request that a provider gets. Credentials, cookies and addresses are not among them.
 *
 * @param version of the API
 */
export function forwardedHeaders(headers: IncomingHttpHeaders, version: string): Record<string, string> {
  const forwarded: Record<string, string> = { 'anthropic-version': version };
  for (const [name, value] of Object.entries(headers)) {
    const isForwarded = FORWARDED.has(name) || FORWARDED_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (isForwarded && typeof value === 'string') {
      forwarded[name] = value;
    }
  }
  const beta = withoutOAuth(headers['anthropic-beta']);
  return { ...forwarded, ...(beta !== '' && { 'anthropic-beta': beta }) };
}

/** Unchanged, unless it names the credential. */
function withoutOAuth(header: string | string[] = ''): string {
  const text = [header].flat().join(',');
  if (!text.includes(OAUTH_BETA)) {
    return text;
  }
  return text
    .split(',')
    .filter((name) => name.trim() !== OAUTH_BETA)
    .join(',')
    .trim();
}
