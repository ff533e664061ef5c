// Express matches paths regardless of case, so this does too: /API/V1/AUTH/login is the login route.
const AUTH_PATH = /^\/api\/v\d+\/auth(?:\/|$)/i;

/** Tells whether a path (without query) lies under `/auth`, where each client address has a tighter budget, whoever calls from it. */
export function isAuthPath(path: string): boolean {
  return AUTH_PATH.test(path);
}
