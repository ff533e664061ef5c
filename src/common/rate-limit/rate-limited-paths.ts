// Express ignores the case of paths, so this does too: /API/V1/AUTH/login is the login route.
const AUTH_PATH = /^\/api\/v\d+\/(?:auth|setup\/administrator)(?:\/|$)/i;

/**
 * Whether a path (without query) is under `/auth`, or makes the first administrator. There each client address has a smaller
 * budget, for all callers together.
 */
export function isAuthPath(path: string): boolean {
  return AUTH_PATH.test(path);
}

/** Whether a path is one of those that directories call. */
export function isScimPath(path: string): boolean {
  return /^\/scim\/v2(?:\/|$)/i.test(path);
}
