import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { createUser, PASSWORD } from '../support/accounts';
import {
  BrowserClient,
  cookiesOf,
  DEVICE_COOKIE,
  REFRESH_COOKIE,
  SECURE_DEVICE_COOKIE,
  SECURE_REFRESH_COOKIE,
} from '../support/browser-client';
import { call, expectFailure } from '../support/http';
import type { TestApp } from '../support/test-app';
import { useTestApp } from '../support/use-app';

describe('a session without a cookie', () => {
  const app = useTestApp();

  it('is the default, as before', async () => {
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
      expect([next.status, cookiesOf(answer), cookiesOf(next)]).toEqual([200, [DEVICE_COOKIE], []]);
    }
    for (const session of ['Cookie', 'storage', null, true, ['cookie']]) {
      expectFailure(await call(`${app.url}/auth/login`, { body: { ...body, session } }), 422, 'VALIDATION_ERROR');
    }
  });

  it('is the only one for pages of other origins', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await call(`${app.url}/auth/refresh_token`, { method: 'OPTIONS', headers });
    const answer = await call(`${app.url}/auth/refresh_token`, { body: { session: 'cookie' }, headers });
    for (const { headers } of [preflight, answer]) {
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });
});

describe('the cookies of a browser', () => {
  describe('behind a trusted proxy', () => {
    const app = useTestApp({ TRUST_PROXY: '1' });

    it('are for encrypted connections if the proxy reports one', () => expectCookies(app, 'https', true));

    it('are for all connections if the proxy reports an unencrypted one', () => expectCookies(app, 'http', false));
  });

  describe('without a trusted proxy', () => {
    const app = useTestApp();

    it('are for all connections, whatever the request claims', () => expectCookies(app, 'https', false));
  });

  describe('for a service with an https address', () => {
    const app = useTestApp({ PUBLIC_URL: 'https://chat.example.com' });
    let browser: BrowserClient;
    let email: string;

    const logIn = () => browser.post<TokenPairDto>('/auth/login', { email, password: PASSWORD, session: 'cookie' });
    const refresh = () => browser.post('/auth/refresh_token', { session: 'cookie' });
    beforeEach(async () => {
      ({ email } = await createUser(app));
      browser = new BrowserClient(app.url);
    });

    it('are for encrypted connections', () => expectCookies(app, 'http', true));

    it('are not read under the name of an early version', async () => {
      await logIn();
      browser.cookies.set('__Secure-refresh_token', browser.refreshToken);
      browser.cookies.delete('__Host-refresh_token');
      expectFailure(await refresh(), 401, 'REFRESH_TOKEN_INVALID');
    });

    it('are removed by a logout', async () => {
      const { body } = await logIn();
      const { device } = browser;
      await browser.post('/auth/logout', {}, { authorization: `Bearer ${body.access_token}` });
      expect([...browser.cookies]).toEqual([['__Host-device', device]]);
    });

    it('open nothing, although browsers send them everywhere, and are never echoed', async () => {
      await logIn();
      const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      for (const path of ['/auth/me', '/users/me', '/chat', '/user/export']) {
        const answer = await call(`${app.url}${path}`, { headers });
        expectFailure(answer, 401, 'UNAUTHORIZED');
      }
      for (const path of ['/', '/health', '/console', '/docs', '/openapi.json', '/api/v1/setup', '/nothing']) {
        const answer = await call(`${app.origin}${path}`, { headers });
        expect([path, answer.headers.getSetCookie()]).toEqual([path, []]);
        expect(answer.text).not.toContain(browser.refreshToken.slice(0, 20));
      }
    });
  });
});

async function expectCookies(app: TestApp, protocol: string, isSecure: boolean): Promise<void> {
  const { email } = await createUser(app);
  const browser = new BrowserClient(app.url, { 'x-forwarded-proto': protocol });
  const login = await browser.post('/auth/login', { email, password: PASSWORD, session: 'cookie' });
  expect(cookiesOf(login)).toEqual(
    isSecure ? [SECURE_REFRESH_COOKIE, SECURE_DEVICE_COOKIE] : [REFRESH_COOKIE, DEVICE_COOKIE],
  );
  expect((await browser.post('/auth/refresh_token', { session: 'cookie' })).status).toBe(200);
  if (isSecure) {
    // An attacker between browser and service could have set this one over an unencrypted connection.
    browser.cookies.set('refresh_token', browser.refreshToken);
    browser.cookies.delete('__Host-refresh_token');
    expectFailure(await browser.post('/auth/refresh_token', { session: 'cookie' }), 401, 'REFRESH_TOKEN_INVALID');
  }
}
