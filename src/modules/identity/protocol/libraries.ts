import type * as Jose from 'jose';
import type * as OpenIdClient from 'openid-client';

/** Loaded with the first sign-in: a service without providers has no use for them. */
export function loadOpenIdClient(): Promise<typeof OpenIdClient> {
  return import('openid-client');
}

export function loadJose(): Promise<typeof Jose> {
  return import('jose');
}
