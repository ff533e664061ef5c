import { InvalidScopeError } from './device.errors';

/** The scopes that a device can have, in the order in which they are listed. */
export const DEVICE_SCOPES = [
  'anthropic',
  'openai',
  'chat:read',
  'chat:write',
  'agents:read',
  'usage:read',
  'actions:decide',
] as const;

/**
 * The scopes of a request, in the order of the list.
 *
 * @param requested separated by spaces; undefined or blank for the default
 * @throws InvalidScopeError if a device cannot have one of them
 */
export function scopesOf(requested: string | undefined, byDefault: readonly string[]): string[] {
  const wanted = new Set((requested ?? '').split(' ').filter((scope) => scope !== ''));
  const known = DEVICE_SCOPES.filter((scope) => wanted.has(scope));
  if (known.length < wanted.size) {
    throw new InvalidScopeError();
  }
  return known.length === 0 ? [...byDefault] : known;
}
