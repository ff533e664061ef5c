import type { ErrorCode } from 'chat-service-client';
import { navigate } from 'wouter-preact/use-browser-location';
import { api } from './api';
import { forgetDrafts } from './drafts';
import { attempt } from './toasts';
import { receive, visit } from './visit';

/** Addresses of the pages of the sign-in; whoever is signed in has nothing to do there. */
export const AUTH_PATHS: readonly string[] = ['/', '/sign-in', '/register', '/reset-password', '/setup'];

/** Where the pages are. */
export const BASE = '/console';

/** Where a tab keeps the address that was wanted, while it is at a provider. */
export const WANTED_KEPT_AS = 'console-wanted-path';

/** Where it keeps the label of the server of tools at which it is. */
export const CONNECTING_KEPT_AS = 'console-connecting';

const END_KEPT_AS = 'console-session-end';

/** What every version before this mark has kept. */
const KEPT_BEFORE = 'console-theme';

/**
 * Whether this browser may have a session to go on with: only the service can read its cookie. Without one it is not asked,
 * because the browser would note the refusal as a fault of the page.
 */
export function mayGoOn(): boolean {
  const end = localStorage.getItem(END_KEPT_AS);
  return end === null ? localStorage.getItem(KEPT_BEFORE) !== null : Number(end) > Date.now();
}

function keepEnd(): void {
  localStorage.setItem(END_KEPT_AS, String(api.session.endsAt ?? 0));
}

/** Asks again who is signed in, after a change of the account or of the session. */
export async function readUser(): Promise<void> {
  const found = api.session.state === 'signed-in' ? await api.users.me() : null;
  // Meanwhile they may have signed out in another tab.
  if (found && api.session.state !== 'signed-in') return;
  const isOther = receive(found);
  const { userId } = visit();
  if (userId !== null) forgetDrafts(userId);
  // The address is one of the former person's.
  if (isOther) navigate(`${BASE}/chat`, { replace: true });
}

/** What came of the way to a provider, beside a session: a linked identity, a code that says why not, or a failure. */
export class Returned {
  isLinked = false;
  connecting: Connecting | null = null;
  code: ErrorCode | undefined;
  failure: unknown;
}

/** How the way to a server of tools ended, with which somebody wanted to connect; no code: they are connected. */
export interface Connecting {
  label: string;
  code: string | null;
}

/** Takes what the address says of the way to a server of tools; null: nobody was there. */
function comeBackConnected(): Connecting | null {
  const label = sessionStorage.getItem(CONNECTING_KEPT_AS);
  sessionStorage.removeItem(CONNECTING_KEPT_AS);
  const said = new URLSearchParams(location.search);
  if (label === null || !(said.has('connected') || said.has('error'))) return null;
  history.replaceState(history.state, '', location.pathname);
  return { label, code: said.get('error') };
}

/** Leaves for a provider. */
export function signInWith(slug: string): Promise<void> {
  sessionStorage.setItem(WANTED_KEPT_AS, visit().wantedPath);
  return api.session.signInWith(slug);
}

/**
 * Leaves for a provider whose identity is to open the account as well.
 *
 * @param page where the person comes back to
 * @param proof nothing within ten minutes of the sign-in
 */
export async function linkIdentity(
  slug: string,
  page: string,
  proof: { password?: string; verification_code?: string },
): Promise<void> {
  const body = { slug, return_to: BASE, code_challenge: await api.session.challenge(), ...proof };
  const { authorization_url: address } = await api.identities.start({ body });
  sessionStorage.setItem(WANTED_KEPT_AS, page);
  location.assign(address);
}

/** Takes what the address says of the way to a provider. */
async function comeBack(): Promise<Returned> {
  const returned = new Returned();
  returned.connecting = comeBackConnected();
  try {
    const finished = returned.connecting ?? (await api.session.finishSignIn());
    if (finished === null) return returned;
    if ('error' in finished) returned.code = finished.error;
    returned.isLinked = 'identity' in finished;
  } catch (error) {
    returned.failure = error;
  }
  visit().wantedPath = sessionStorage.getItem(WANTED_KEPT_AS) ?? visit().wantedPath;
  return returned;
}

/** Takes up the session of an earlier visit, and follows what other tabs do. */
export async function beginSession(): Promise<void> {
  const returned = await comeBack();
  if (mayGoOn()) await api.session.restore();
  await readUser();
  // Whoever is there now is told.
  Object.assign(visit().part(Returned), returned);
  keepEnd();
  api.session.onChange(() => {
    keepEnd();
    // The tokens of another tab may be those of another person.
    void (visit().userId === null ? attempt(readUser) : readUser().catch(() => undefined));
  });
}

/** Ends the session. Whoever leaves on purpose leaves nothing behind. */
export async function signOut(): Promise<void> {
  const elsewhere = await api.session.logOut();
  forgetDrafts();
  // The provider's own session ends there, and the browser comes back.
  if (elsewhere) location.assign(elsewhere);
  else navigate(`${BASE}/sign-in`, { replace: true });
}
