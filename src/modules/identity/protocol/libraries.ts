import type * as Jose from 'jose';
import type * as OpenIdClient from 'openid-client';

/** Loaded at the first sign-in, because a service without providers does not need them. */
export function loadOpenIdClient(): Promise<typeof OpenIdClient> {
  return import('openid-client');
}

export function loadJose(): Promise<typeof Jose> {
  return import('jose');
}
