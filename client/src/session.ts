import { browser } from './browser';
import { ApiError } from './errors';
import { ROUTES } from './generated/methods';
import type { CookieSessionDto, ErrorCode, LinkedIdentityDto, LoggedOutDto, TokenPairDto } from './generated/types';
import type { Service, TokenSource } from './request';
import type { Route } from './route';
import { newChallenge, VERIFIER } from './sign-in';
import { type KeptTokens, type TokenStore } from './token-store';

/**
 * The result of a sign-in with a provider: a session, an identity that a signed-in user has linked, or an error code.
 */
export type FinishedSignIn = { signedIn: true } | LinkedIdentityDto | { error: ErrorCode };

type Answer = CookieSessionDto & Partial<TokenPairDto>;

/** The session of the client. */
export interface ClientSession {
  /** `unknown` until `restore` has finished. */
  readonly state: 'unknown' | 'signed-out' | 'signed-in';
  /** When an idle session expires, in milliseconds since 1970; null if there is no session or the time is unknown. */
  readonly endsAt: number | null;
  /** Restores the session of an earlier visit. Returns false if there is none. */
  restore(): Promise<boolean>;
  logIn(credentials: { email: string; password: string } | { email: string; verification_code: string }): Promise<void>;
  /** Creates an account with the code of `client.auth.sendCode`, and logs in. */
  register(registration: {
    email: string;
    username: string;
    password: string;
    code: string;
    invitation?: string | undefined;
  }): Promise<void>;
  /** Creates the first administrator of an installation, and logs in. */
  createAdministrator(first: {
    email: string;
    username: string;
    password: string;
    token?: string | undefined;
  }): Promise<void>;
  /**
   * Redirects to a provider of `client.auth.listProviders`. It redirects back to `return_to`: `/console`, or one of the
   * service's `OIDC_RETURN_URLS`. The page must be served over HTTPS or from localhost.
   */
  signInWith(slug: string, options?: { return_to?: string | undefined }): Promise<void>;
  /** Creates the `code_challenge` for `client.identities.start`, and stores the verifier for `finishSignIn`. */
  challenge(): Promise<string>;
  /**
   * For the page to which the provider redirects: reads the result from the address and removes it there. Returns null
   * if there is none. If the user must first prove the email address, it throws the `ApiError` `IDENTITY_LINK_REQUIRED`
   * with `details.link_token` for `client.auth.sendCode` and `linkIdentity`.
   */
  finishSignIn(): Promise<FinishedSignIn | null>;
  /** Logs in with a code of purpose `link_identity`, in the tab that started the sign-in. */
  linkIdentity(proof: { link_token: string; verification_code: string }): Promise<FinishedSignIn>;
  /** Returns an address if the provider's session must end too. Open it next. */
  logOut(): Promise<string | undefined>;
  /** Calls the listener after each change, including changes in other tabs. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void;
}

/** Keeps one session valid. Many callers and many tabs share one request for a new access token. */
export class Session implements ClientSession, TokenSource {
  private isKnown = false;
  private renewal: Promise<string | undefined> | undefined;
  /** Number of logins and logouts of this object. */
  private changes = 0;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly service: Service,
    private readonly store: TokenStore,
    private readonly isCookie: boolean,
  ) {
    store.onChange = () => this.tell();
  }

  get state(): ClientSession['state'] {
    return this.store.tokens ? 'signed-in' : this.isKnown ? 'signed-out' : 'unknown';
  }

  get endsAt(): number | null {
    return this.store.tokens?.ends_at ?? null;
  }

  async restore(): Promise<boolean> {
    // With a cookie, only the service knows whether there is a session.
    if (!this.store.tokens && this.isCookie) await this.renew(undefined);
    else await this.current();
    this.tell();
    return this.state === 'signed-in';
  }

  async logIn(credentials: object): Promise<void> {
    await this.begin(ROUTES.auth.logIn, credentials);
  }

  async register(registration: object): Promise<void> {
    await this.begin(ROUTES.auth.register, registration);
  }

  async createAdministrator(first: object): Promise<void> {
    await this.begin(ROUTES.setup.createAdministrator, first);
  }

  readonly challenge = newChallenge;

  async signInWith(slug: string, options: object = {}): Promise<void> {
    const query = { ...options, code_challenge: await newChallenge() };
    // This route is for browsers, so the client has no method for it. The path is derived from the provider's other
    // route.
    const path = ROUTES.auth.endProviderSessions.path.replace(/\w+$/, 'start');
    browser.location!.assign(this.service.address(path, { path: { slug }, query }));
  }

  async finishSignIn(): Promise<FinishedSignIn | null> {
    const { location, history } = browser;
    const { login_code, error } = Object.fromEntries(new URLSearchParams(location!.search));
    if (!login_code && !error) return null;
    // Return pages have no other parameters.
    history.replaceState(history.state, '', location!.pathname);
    return error ? { error: error as ErrorCode } : this.prove(ROUTES.auth.exchangeLoginCode, { login_code });
  }

  linkIdentity(proof: object): Promise<FinishedSignIn> {
    return this.prove(ROUTES.auth.linkIdentity, proof);
  }

  async logOut(): Promise<string | undefined> {
    // With a cookie, there may be a session that this page has not requested yet.
    const token = this.isCookie && !this.isKnown ? await this.renew(undefined) : await this.current();
    this.changes += 1;
    const headers = { authorization: `Bearer ${token}` };
    // If the user is already logged out, nothing is left to do.
    const answer = token && (await this.service.call(ROUTES.auth.logOut, { headers }).catch(ignoreRefusal));
    this.keep(undefined);
    return (answer as LoggedOutDto | undefined)?.logout_url;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  current(): string | undefined | Promise<string | undefined> {
    const { tokens } = this.store;
    return tokens && Date.now() >= tokens.renew_at ? this.renew(tokens.access_token) : tokens?.access_token;
  }

  async replace(token: string, { code }: ApiError): Promise<string | undefined> {
    if (code === 'TOKEN_EXPIRED' || code === 'TOKEN_INVALID') return this.renew(token);
    if (code === 'SESSION_REVOKED' && this.store.tokens?.access_token === token) this.keep(undefined);
    return undefined;
  }

  private async begin(route: Route, body: object): Promise<FinishedSignIn> {
    const answer = await this.exchange(route, body);
    if ('identity' in answer) return answer;
    this.changes += 1;
    this.keep(answer);
    return { signedIn: true };
  }

  /**
   * Uses the verifier that the tab stored before the redirect. It is kept, because proving the email address needs it
   * again. If an attacker has sent the address, this tab has no matching verifier, and the service refuses it.
   */
  private prove(route: Route, body: object): Promise<FinishedSignIn> {
    return this.begin(route, { ...body, code_verifier: browser.sessionStorage.getItem(VERIFIER) ?? '-' });
  }

  /** Replaces an old token, with one request for all callers. */
  private renew(old: string | undefined): Promise<string | undefined> {
    const { changes } = this;
    // After a logout or a login as another user, requests of the former user must not use the new session, and vice
    // versa.
    const isSame = (): boolean => changes === this.changes;
    this.renewal ??= this.store
      .alone(async () => {
        const { tokens } = this.store;
        if (tokens?.access_token === old && isSame()) await this.refresh(tokens, isSame);
        return isSame() ? this.store.tokens?.access_token : undefined;
      })
      .finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async refresh(tokens: KeptTokens | undefined, isSame: () => boolean): Promise<void> {
    const body = this.isCookie ? {} : { refresh_token: tokens?.refresh_token };
    const renewed = (await this.exchange(ROUTES.auth.refresh, body).catch(ignoreRefusal)) as Answer | undefined;
    if (isSame()) this.keep(renewed);
  }

  private exchange(route: Route, body: object): Promise<Answer | LinkedIdentityDto> {
    const request = { body: { ...body, ...(this.isCookie && { session: 'cookie' }) } };
    return this.service.call(route, request) as Promise<Answer | LinkedIdentityDto>;
  }

  private keep(answer: Answer | undefined): void {
    const now = Date.now();
    this.store.keep(
      answer && {
        access_token: answer.access_token,
        refresh_token: answer.refresh_token!,
        // Renewed after nine tenths of its lifetime, so that no request is in flight when it expires.
        renew_at: now + answer.expires_in * 900,
        ends_at: now + answer.refresh_expires_in * 1_000,
      },
    );
    this.tell();
  }

  private tell(): void {
    this.isKnown = true;
    this.listeners.forEach((listener) => listener());
  }
}

/** If the service no longer knows the session, it has ended, which is not a failure. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
}
