import { ApiError } from './errors';
import { ROUTES } from './generated/methods';
import type { TokenPairDto } from './generated/types';
import type { Service, TokenSource } from './request';
import type { Route } from './route';
import { type KeptTokens, type TokenStore } from './token-store';

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
  register(registration: { email: string; username: string; password: string; code: string }): Promise<void>;
  /** Makes the first administrator of an installation, and logs in. */
  createAdministrator(first: {
    email: string;
    username: string;
    password: string;
    token?: string | undefined;
  }): Promise<void>;
  logOut(): Promise<void>;
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

  logIn(credentials: object): Promise<void> {
    return this.begin(ROUTES.auth.logIn, credentials);
  }

  register(registration: object): Promise<void> {
    return this.begin(ROUTES.auth.register, registration);
  }

  createAdministrator(first: object): Promise<void> {
    return this.begin(ROUTES.setup.createAdministrator, first);
  }

  async logOut(): Promise<void> {
    // With a cookie there may be a session that this page has not asked for yet.
    const token = this.isCookie && !this.isKnown ? await this.renew(undefined) : await this.current();
    this.changes += 1;
    const headers = { authorization: `Bearer ${token}` };
    // Who is logged out already is content.
    if (token) await this.service.call(ROUTES.auth.logOut, { headers }).catch(ignoreRefusal);
    this.keep(undefined);
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

  private async begin(route: Route, body: object): Promise<void> {
    const tokens = await this.exchange(route, body);
    this.changes += 1;
    this.keep(tokens);
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
    const renewed = await this.exchange(ROUTES.auth.refresh, body).catch(ignoreRefusal);
    if (isSame()) this.keep(renewed);
  }

  private async exchange(route: Route, body: object): Promise<KeptTokens> {
    const pair = (await this.service.call(route, {
      body: { ...body, ...(this.isCookie && { session: 'cookie' }) },
    })) as Omit<TokenPairDto, 'refresh_token'> & Partial<TokenPairDto>;
    const { access_token, refresh_token, expires_in, refresh_expires_in } = pair;
    const now = Date.now();
    // A tenth of its life before the end, so that no request is on its way when it ends.
    const renew_at = now + expires_in * 900;
    return { access_token, refresh_token, renew_at, ends_at: now + refresh_expires_in * 1_000 };
  }

  private keep(tokens: KeptTokens | undefined): void {
    this.store.keep(tokens);
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
