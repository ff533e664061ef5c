import { browser } from './browser';

const NAME = 'chat-service-session';

/** Longest delay of a message from another tab. */
const NEWS_MILLISECONDS = 500;

/** A token pair. If the refresh token is in a cookie, only the access token is here. */
export interface KeptTokens {
  access_token: string;
  refresh_token?: string;
  /** When to request a new pair, in milliseconds since 1970. */
  renew_at: number;
  /** When the session expires without a new pair. Earlier versions of the client did not store it. */
  ends_at?: number;
}

/** Stores the tokens of a session. */
export interface TokenStore {
  readonly tokens: KeptTokens | undefined;
  keep(tokens: KeptTokens | undefined): void;
  /** Runs the work while no other tab runs it. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Called when another tab has changed the tokens. */
  onChange: () => void;
}

/** Stores the tokens in this object only. */
export class MemoryTokens implements TokenStore {
  tokens: KeptTokens | undefined;
  onChange = (): void => undefined;

  keep(tokens: KeptTokens | undefined): void {
    this.tokens = tokens;
  }

  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}

/** Stores the tokens in the memory of all tabs of one origin, which notify each other. */
export class TabTokens extends MemoryTokens {
  private readonly channel = new BroadcastChannel(NAME);

  constructor() {
    super();
    this.channel.onmessage = ({ data }: MessageEvent) => {
      this.tokens = data as KeptTokens | undefined;
      this.onChange();
    };
  }

  override keep(tokens: KeptTokens | undefined): void {
    super.keep(tokens);
    this.channel.postMessage(tokens);
  }

  /** Without locks, two tabs may do the same work. The service accepts a refresh token twice within seconds. */
  override async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const locks = browser.navigator?.locks;
    if (!locks) return work();
    const before = this.tokens;
    const done = await locks.request(NAME, { ifAvailable: true }, async (lock) => lock && { result: await work() });
    if (done) return done.result;
    return locks.request(NAME, async () => {
      if (this.tokens === before) await this.news();
      return work();
    });
  }

  /** The tab that had the lock has sent its tokens, but the message may arrive after the lock. */
  private news(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, NEWS_MILLISECONDS);
      this.channel.addEventListener('message', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
}

/** Stores the tokens in the browser's storage, for all tabs and the next visit. */
export class StoredTokens extends TabTokens {
  constructor() {
    super();
    this.tokens = (JSON.parse(browser.localStorage.getItem(NAME) ?? 'null') as KeptTokens | null) ?? undefined;
  }

  override keep(tokens: KeptTokens | undefined): void {
    if (tokens) browser.localStorage.setItem(NAME, JSON.stringify(tokens));
    else browser.localStorage.removeItem(NAME);
    super.keep(tokens);
  }
}
