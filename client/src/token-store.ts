import { browser } from './browser';

const NAME = 'chat-service-session';

/** How long the news of another tab takes at most. */
const NEWS_MILLISECONDS = 500;

/** A token pair; without the refresh token where a cookie has it. */
export interface KeptTokens {
  access_token: string;
  refresh_token?: string;
  /** When to get a new pair, in milliseconds since 1970. */
  renew_at: number;
  /** When the session ends unless a new pair is got; an earlier version of the client did not keep it. */
  ends_at?: number;
}

/** Where the tokens of a session are. */
export interface TokenStore {
  readonly tokens: KeptTokens | undefined;
  keep(tokens: KeptTokens | undefined): void;
  /** Runs while no other tab does the same. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Called when another tab has changed them. */
  onChange: () => void;
}

/** In this object alone. */
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

/** In the memory of all tabs of one origin, which tell each other. */
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

  /** Where a browser has no locks, two tabs may do the same; the service takes a refresh token twice within seconds. */
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

  /** The tab that had the lock has told of its tokens, but the news may come after the lock. */
  private news(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, NEWS_MILLISECONDS);
      this.channel.addEventListener('message', () => (clearTimeout(timer), resolve()), { once: true });
    });
  }
}

/** In the storage of the browser, for all tabs and the next visit. */
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
