/** Path prefix of the current version of the API (specification §9). */
export const API_PREFIX = 'api/v1';

const others: string[] = [];

/** Any version of the API, and the other APIs. */
let apiPath = /^\/api(?:[/?]|$)/i;

/**
 * Says that a module also speaks the API of somebody else. Its controllers begin with this prefix instead of the global one;
 * otherwise their routes are like all routes of the API. The module calls it above its class.
 *
 * @param prefix without slashes at its ends, such as `openai/v1`
 */
export function declareApiPrefix(prefix: string): void {
  if (!others.includes(prefix)) {
    others.push(prefix);
    apiPath = new RegExp(`^/(?:api|${others.join('|')})(?:[/?]|$)`, 'i');
  }
}

/** The declared prefixes beside `API_PREFIX`. */
export function otherApiPrefixes(): readonly string[] {
  return others;
}

/** Whether a path, with or without a query, belongs to the API or to one of the other APIs. */
export function isApiPath(path: string): boolean {
  return apiPath.test(path);
}
