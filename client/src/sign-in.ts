import { browser } from './browser';

/** Where a tab keeps the verifier of its sign-in (RFC 7636) until it comes back from the provider. */
export const VERIFIER = 'chat-service-verifier';

/** Makes a verifier, keeps it, and answers its challenge. */
export async function newChallenge(): Promise<string> {
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  browser.sessionStorage.setItem(VERIFIER, verifier);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return text.replace(/\+/g, '-').replace(/\//g, '_').slice(0, 43);
}
