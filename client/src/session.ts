import { browser } from './browser';
import { ApiError } from './errors';
import { ROUTES } from './generated/methods';
import type { CookieSessionDto, ErrorCode, LinkedIdentityDto, LoggedOutDto, TokenPairDto } from './generated/types';
import type { Service, TokenSource } from './request';
import type { Route } from './route';
import { newChallenge, VERIFIER } from './sign-in';
import { type KeptTokens, type TokenStore } from './token-store';

/**
 * What became of a sign-in with a provider: a session, an identity that a signed-in person has linked, or no answer of the
 * provider that lets anybody in.
 */
export type FinishedSignIn = { signedIn: true } | LinkedIdentityDto | { error: ErrorCode };

type Answer = CookieSessionDto & Partial<TokenPairDto>;

/** Who uses the client. */
export interface ClientSession {
  /** `unknown` until `restore` has ended. */
  readonly state: 'unknown' | 'signed-out' | 'signed-in';
  /** When it ends if nobody uses it any more, in milliseconds since 1970; null: there is none, or nobody knows. */
  readonly endsAt: number | null;
  /** Goes on with the session of an earlier visit; false when there is none. */
  restore(): Promise<boolean>;
  logIn(credentials: { email: string; password: string } | { email: string; verification_code: string }): Promise<void>;
  /** Makes an account with the code of `client.auth.sendCode`, and logs in. */
  register(registration: {
    email: string;
    username: string;
    password: string;
    code: string;
    invitation?: string | undefined;
  }): Promise<void>;
  /** Makes the first administrator of an installation, and logs in. */
  createAdministrator(first: {
    email: string;
    username: string;
    password: string;
    token?: string | undefined;
  }): Promise<void>;
  /**
   * Leaves the page for a provider of `client.auth.listProviders`. It comes back to `return_to`: `/console`, or one of the
   * service's OIDC_RETURN_URLS. For pages that came by https, or from the machine itself.
   */
  signInWith(slug: string, options?: { return_to?: string | undefined }): Promise<void>;
  /** Makes the `code_challenge` for `client.identities.start`, and keeps for `finishSignIn` what belongs to it. */
  challenge(): Promise<string>;
  /**
   * For the page that the provider leads back to: takes what the address says, and takes it out of there. Null: the address
   * says nothing. Who must prove the address first is an `ApiError` `IDENTITY_LINK_REQUIRED`, with `details.link_token` for
   * `client.auth.sendCode` and `linkIdentity`.
   */
  finishSignIn(): Promise<FinishedSignIn | null>;
  /** Logs in with the code of purpose `link_identity`, in the tab that began. */
  linkIdentity(proof: { link_token: string; verification_code: string }): Promise<FinishedSignIn>;
  /** Answers where the browser ends the provider's session too, if the provider's rule says so: go there next. */
  logOut(): Promise<string | undefined>;
  /** Calls after every change, also one that was made in another tab. Returns how to stop that. */
  onChange(listener: () => void): () => void;
}

/** Keeps one session going: many callers, and many tabs, get a new access token by one request. */
export class Session implements ClientSession, TokenSource {
  private isKnown = false;
  private renewal: Promise<string | undefined> | undefined;
  /** Counts the log-ins and log-outs of this object. */
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
    // With a cookie only the service knows whether there is a session.
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
    // A browser goes there, so it is no method of the client; the provider's other route has its place.
    const path = ROUTES.auth.endProviderSessions.path.replace(/\w+$/, 'start');
    browser.location!.assign(this.service.address(path, { path: { slug }, query }));
  }

  async finishSignIn(): Promise<FinishedSignIn | null> {
    const { location, history } = browser;
    const { login_code, error } = Object.fromEntries(new URLSearchParams(location!.search));
    if (!login_code && !error) return null;
    // Pages that a sign-in comes back to have no other parameters.
    history.replaceState(history.state, '', location!.pathname);
    return error ? { error: error as ErrorCode } : this.prove(ROUTES.auth.exchangeLoginCode, { login_code });
  }

  linkIdentity(proof: object): Promise<FinishedSignIn> {
    return this.prove(ROUTES.auth.linkIdentity, proof);
  }

  async logOut(): Promise<string | undefined> {
    // With a cookie there may be a session that this page has not asked for yet.
    const token = this.isCookie && !this.isKnown ? await this.renew(undefined) : await this.current();
    this.changes += 1;
    const headers = { authorization: `Bearer ${token}` };
    // Who is logged out already is content.
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
   * With what the tab kept when it left for the provider; it stays, for where the address must be proved afterwards. The
   * service refuses an address that somebody else has sent, for which this tab has none.
   */
  private prove(route: Route, body: object): Promise<FinishedSignIn> {
    return this.begin(route, { ...body, code_verifier: browser.sessionStorage.getItem(VERIFIER) ?? '-' });
  }

  /** Gets a new token in the place of an old one, once for all who ask. */
  private renew(old: string | undefined): Promise<string | undefined> {
    const { changes } = this;
    // Who has logged out meanwhile, or in as somebody else, does not act as the former user, and the former one not as them.
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
        // A tenth of its life before the end, so that no request is on its way when it ends.
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

/** A session that the service does not know any more has ended; that is no failure. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
}
