import { browser } from './browser';

/** Storage key of the PKCE verifier (RFC 7636) while the tab is at the provider. */
export const VERIFIER = 'chat-service-verifier';

/** Creates and stores a verifier. Returns its challenge. */
export async function newChallenge(): Promise<string> {
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  browser.sessionStorage.setItem(VERIFIER, verifier);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return text.replace(/\+/g, '-').replace(/\//g, '_').slice(0, 43);
}
