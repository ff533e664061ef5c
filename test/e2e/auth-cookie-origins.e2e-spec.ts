import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { createUser, PASSWORD } from '../support/accounts';
import { BrowserClient, REFRESH_COOKIE, shapeOf } from '../support/browser-client';
import { call, expectFailure } from '../support/http';
import type { TestApp } from '../support/test-app';
import { useTestApp } from '../support/use-app';

describe('a session without a cookie', () => {
  const app = useTestApp();

  it('is what everybody else gets, as before', async () => {
    const { email } = await createUser(app);
    const body = { email, password: PASSWORD };
    const senders: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { cookie: 'refresh_token=rubbish' },
    ];
    for (const headers of senders) {
      const answer = await call<TokenPairDto>(`${app.url}/auth/login`, { body, headers });
      expect(Object.keys(answer.body)).toEqual([
        'access_token',
        'refresh_token',
        'token_type',
        'expires_in',
        'refresh_expires_in',
      ]);
      const { refresh_token } = answer.body;
      const next = await call(`${app.url}/auth/refresh_token`, { body: { refresh_token }, headers });
      expect([next.status, answer.headers.getSetCookie(), next.headers.getSetCookie()]).toEqual([200, [], []]);
    }
    for (const session of ['Cookie', 'storage', null, true, ['cookie']]) {
      expectFailure(await call(`${app.url}/auth/login`, { body: { ...body, session } }), 422, 'VALIDATION_ERROR');
    }
  });

  it('is the only one that pages of other origins get', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await call(`${app.url}/auth/refresh_token`, { method: 'OPTIONS', headers });
    const answer = await call(`${app.url}/auth/refresh_token`, { body: { session: 'cookie' }, headers });
    for (const { headers } of [preflight, answer]) {
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });
});

describe('the cookie of a session', () => {
  describe('behind a trusted proxy', () => {
    const app = useTestApp({ TRUST_PROXY: '1' });

    it('is for encrypted connections when the proxy tells of one', () => expectCookie(app, 'https', true));

    it('is for all when the proxy tells of one in the clear', () => expectCookie(app, 'http', false));
  });

  describe('without a trusted proxy', () => {
    const app = useTestApp();

    it('is for all, whatever the request pretends', () => expectCookie(app, 'https', false));
  });

  describe('of a service that people reach encrypted', () => {
    const app = useTestApp({ PUBLIC_URL: 'https://chat.example.com' });

    it('is for encrypted connections', () => expectCookie(app, 'http', true));
  });
});

async function expectCookie(app: TestApp, protocol: string, isSecure: boolean): Promise<void> {
  const { email } = await createUser(app);
  const browser = new BrowserClient(app.url, { 'x-forwarded-proto': protocol });
  const login = await browser.post('/auth/login', { email, password: PASSWORD, session: 'cookie' });
  const [name, end] = isSecure ? ['__Secure-refresh_token', '; HttpOnly; Secure;'] : ['refresh_token', '; HttpOnly;'];
  expect(login.headers.getSetCookie().map(shapeOf)).toEqual([
    REFRESH_COOKIE.replace('refresh_token', name).replace('; HttpOnly;', end),
  ]);
  expect((await browser.post('/auth/refresh_token', { session: 'cookie' })).status).toBe(200);
  if (isSecure) {
    // Somebody between browser and service could have set this one over an unencrypted connection.
    browser.cookies.set('refresh_token', browser.refreshToken);
    browser.cookies.delete(name);
    expectFailure(await browser.post('/auth/refresh_token', { session: 'cookie' }), 401, 'REFRESH_TOKEN_INVALID');
  }
}
