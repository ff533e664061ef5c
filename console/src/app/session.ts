import type { ErrorCode } from 'chat-service-client';
import { navigate } from 'wouter-preact/use-browser-location';
import { api } from './api';
import { showBranding } from './branding';
import { forgetDrafts } from './drafts';
import { PageStart } from './page-start';
import { SignInPage } from './sign-in-page';
import { attempt } from './toasts';
import { type CurrentUser, receive, visit } from './visit';

/** Paths of the sign-in pages, which a signed-in user does not need. */
export const AUTH_PATHS: readonly string[] = ['/', '/sign-in', '/register', '/reset-password', '/setup'];

/** Base path of the console. */
export const BASE = '/console';

/** Session storage key of the requested path while the tab is at an identity provider. */
export const WANTED_KEPT_AS = 'console-wanted-path';

/** Session storage key of the label of the MCP server at which the tab is. */
export const CONNECTING_KEPT_AS = 'console-connecting';

const END_KEPT_AS = 'console-session-end';

/** Key that every version before `END_KEPT_AS` has set. */
const KEPT_BEFORE = 'console-theme';

/**
 * Whether this browser may have a session to restore. Only the service can read the session cookie. Without this check,
 * a browser without a session would log the refused request as an error.
 */
export function mayGoOn(): boolean {
  const end = localStorage.getItem(END_KEPT_AS);
  return end === null ? localStorage.getItem(KEPT_BEFORE) !== null : Number(end) > Date.now();
}

function keepEnd(): void {
  localStorage.setItem(END_KEPT_AS, String(api.session.endsAt ?? 0));
}

/** Reads the signed-in user again, after a change of the account or the session. */
export async function readUser(): Promise<void> {
  const found = api.session.state === 'signed-in' ? await readVisitor() : null;
  // The user may have signed out in another tab during the request.
  if (found && api.session.state !== 'signed-in') return;
  const isOther = receive(found?.user ?? null, found?.start);
  const { userId } = visit();
  if (userId !== null) forgetDrafts(userId);
  // The current path belongs to the previous user.
  if (isOther) navigate(`${BASE}/chat`, { replace: true });
}

/** Reads the signed-in user. After a new sign-in, the response includes the data of the first page. */
async function readVisitor(): Promise<{ user: CurrentUser; start?: PageStart }> {
  if (visit().userId !== null) return { user: await api.users.me() };
  const { me, branding, ...parts } = await api.bootstrap.read();
  showBranding(branding);
  return { user: me, start: new PageStart(parts) };
}

/**
 * The result of a return from an identity provider, apart from the session: a linked identity, an error code, or a
 * failure.
 */
export class Returned {
  isLinked = false;
  connecting: Connecting | null = null;
  code: ErrorCode | undefined;
  failure: unknown;
}

/** The result of connecting an account at an MCP server. A null code means success. */
export interface Connecting {
  label: string;
  code: string | null;
}

/** Reads the result of an MCP connection from the address; null: the tab was not at an MCP server. */
function comeBackConnected(): Connecting | null {
  const label = sessionStorage.getItem(CONNECTING_KEPT_AS);
  sessionStorage.removeItem(CONNECTING_KEPT_AS);
  const said = new URLSearchParams(location.search);
  if (label === null || !(said.has('connected') || said.has('error'))) return null;
  history.replaceState(history.state, '', location.pathname);
  return { label, code: said.get('error') };
}

/** Redirects to an identity provider. */
export function signInWith(slug: string): Promise<void> {
  sessionStorage.setItem(WANTED_KEPT_AS, visit().wantedPath);
  return api.session.signInWith(slug);
}

/**
 * Redirects to a provider to link one of its identities to the account.
 *
 * @param page the page to return to
 * @param proof empty within ten minutes after the sign-in
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

/** Reads the result of a sign-in or link from the address. */
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

/** Restores the session of an earlier visit and follows the changes of other tabs. */
export async function beginSession(): Promise<void> {
  const returned = await comeBack();
  if (mayGoOn()) await api.session.restore();
  if (api.session.state !== 'signed-in') await visit().part(SignInPage).begin();
  await readUser();
  // The result belongs to the visit of the user who is now signed in.
  Object.assign(visit().part(Returned), returned);
  keepEnd();
  api.session.onChange(() => {
    keepEnd();
    // Another tab may have signed in another user.
    void (visit().userId === null ? attempt(readUser) : readUser().catch(() => undefined));
  });
}

/** Ends the session and removes all drafts. */
export async function signOut(): Promise<void> {
  const elsewhere = await api.session.logOut();
  forgetDrafts();
  // This address ends the session at the provider, which then redirects back.
  if (elsewhere) location.assign(elsewhere);
  else navigate(`${BASE}/sign-in`, { replace: true });
}
