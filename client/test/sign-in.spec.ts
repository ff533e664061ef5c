import { createHash } from 'node:crypto';
import { browser } from '../src/browser';
import { createChatClient } from '../src/index';

const PAIR = { access_token: 'an-access-token', token_type: 'bearer', expires_in: 600, refresh_expires_in: 86_400 };

/** The parts of a browser page that a sign-in with a provider needs. */
class Page {
  readonly kept = new Map<string, string>();
  readonly visited: string[] = [];
  readonly asked: { path: string; body: Record<string, unknown> }[] = [];
  shown = '/console';

  /** @param answers responses of the service, in order */
  constructor(
    search: string,
    private readonly answers: Response[] = [],
  ) {
    const location = {
      origin: 'https://chat.example.com',
      pathname: '/console',
      search,
      assign: (address: string) => this.visited.push(address),
    };
    Object.assign(browser, {
      location,
      history: {
        state: null,
        replaceState: (_state: unknown, _title: string, address: string) => (this.shown = address),
      },
      sessionStorage: {
        getItem: (name: string) => this.kept.get(name) ?? null,
        setItem: (name: string, value: string) => this.kept.set(name, value),
      },
    });
  }

  get client() {
    return createChatClient({
      maxRetries: 0,
      fetch: (input, init) => {
        const body = JSON.parse((init?.body as string | undefined) ?? '{}') as Record<string, unknown>;
        this.asked.push({ path: new URL(input).pathname, body });
        return Promise.resolve(this.answers.shift() ?? Response.error());
      },
    });
  }
}

describe('a sign-in with a provider, in a page', () => {
  afterEach(() => {
    for (const name of ['location', 'history', 'sessionStorage']) Reflect.deleteProperty(browser, name);
  });

  it('redirects to the provider with the challenge of a verifier stored in the tab', async () => {
    const page = new Page('');
    await page.client.session.signInWith('company', { return_to: 'https://chat.example.com/app' });
    const [verifier = ''] = page.kept.values();
    expect(verifier).toMatch(/^[\w-]{43,128}$/);
    const { origin, pathname, searchParams } = new URL(page.visited[0]!);
    expect(origin + pathname).toBe('https://chat.example.com/api/v1/auth/oidc/company/start');
    expect(Object.fromEntries(searchParams)).toEqual({
      return_to: 'https://chat.example.com/app',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    });
  });

  it('returns with a code, exchanges it, and removes it from the address', async () => {
    const page = new Page('?login_code=one', [Response.json(PAIR)]);
    page.kept.set('chat-service-verifier', 'a-verifier');
    const { session } = page.client;
    expect(await session.finishSignIn()).toEqual({ signedIn: true });
    expect(page.asked).toEqual([
      { path: '/api/v1/auth/oidc/exchange', body: { login_code: 'one', code_verifier: 'a-verifier' } },
    ]);
    expect(page.shown).toBe('/console');
    expect(session.state).toBe('signed-in');
  });

  it('returns the address that ends the provider’s session after a logout', async () => {
    const logout_url = 'https://login.example.com/logout';
    const gone = Response.json({ error: { code: 'SESSION_REVOKED', message: 'It is over.' } }, { status: 401 });
    for (const [answer, wanted] of [
      [Response.json({ message: 'Bye.', logout_url }), logout_url],
      [Response.json({ message: 'Bye.' }), undefined],
      [gone, undefined],
    ] as const) {
      const { session } = new Page('?login_code=one', [Response.json(PAIR), answer]).client;
      await session.finishSignIn();
      expect(await session.logOut()).toBe(wanted);
      expect(session.state).toBe('signed-out');
    }
  });

  it('returns an error code without a request', async () => {
    const page = new Page('?error=LOGIN_CANCELLED');
    expect(await page.client.session.finishSignIn()).toEqual({ error: 'LOGIN_CANCELLED' });
    expect(page.asked).toEqual([]);
  });

  it('returns null if the address contains no result', async () => {
    expect(await new Page('?q=1').client.session.finishSignIn()).toBeNull();
  });

  it('returns the linked identity of a signed-in user, without a new session', async () => {
    const identity = { id: 1, slug: 'company' };
    const { session } = new Page('?login_code=one', [Response.json({ identity })]).client;
    expect(await session.finishSignIn()).toEqual({ identity });
    expect(session.state).toBe('unknown');
  });

  it('fails if the email address must be proved, and logs in with the code', async () => {
    const error = { code: 'IDENTITY_LINK_REQUIRED', message: 'Prove it.', details: { link_token: 'a-token' } };
    const page = new Page('?login_code=one', [Response.json({ error }, { status: 409 }), Response.json(PAIR)]);
    page.kept.set('chat-service-verifier', 'a-verifier');
    const { session } = page.client;
    await expect(session.finishSignIn()).rejects.toMatchObject({
      code: 'IDENTITY_LINK_REQUIRED',
      details: error.details,
    });
    await session.linkIdentity({ link_token: 'a-token', verification_code: '123456' });
    expect(page.asked[1]).toEqual({
      path: '/api/v1/auth/oidc/link',
      body: { link_token: 'a-token', verification_code: '123456', code_verifier: 'a-verifier' },
    });
    expect(session.state).toBe('signed-in');
  });
});
