import type { TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { createUser, newcomer, PASSWORD, receiveCode } from '../support/accounts';
import {
  BrowserClient,
  cookiesOf,
  DEVICE_COOKIE,
  REFRESH_COOKIE,
  SECURE_DEVICE_COOKIE,
  SECURE_REFRESH_COOKIE,
} from '../support/browser-client';
import { call, expectFailure } from '../support/http';
import { SignInClient } from '../support/sign-in-client';
import type { TestApp } from '../support/test-app';
import { useTestApp } from '../support/use-app';

const WRONG = 'a wrong password';

/** A service behind a trusted proxy. */
const proxied = useTestApp({ TRUST_PROXY: '1' });

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
    const unknown = await call(`${app.url}/auth/login`, { body: { ...body, session: 'Cookie' } });
    expectFailure(unknown, 422, 'VALIDATION_ERROR');
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
    it('are for encrypted connections if the proxy reports one', () => expectCookies(proxied, 'https', true));

    it('are for all connections if the proxy reports an unencrypted one', () => expectCookies(proxied, 'http', false));
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

describe('the cookie of a device', () => {
  it('is set only by a sign-in, for any type of session', async () => {
    const { email, token } = await createUser(proxied);
    const post = (path: string, body: object, headers?: Record<string, string>) =>
      call(`${proxied.url}${path}`, { body, headers });
    expect(cookiesOf(await post('/auth/login', { email, password: PASSWORD }))).toEqual([DEVICE_COOKIE]);
    const refused = [
      await post('/auth/login', { email, password: WRONG }),
      await post('/auth/login', { email: newcomer().email, password: WRONG }),
      await post('/auth/send_code', { email, purpose: 'login' }),
      await post('/auth/verify', { email, code: '000000' }),
      await post('/auth/logout', {}, { authorization: `Bearer ${token}` }),
    ];
    expect(refused.flatMap(cookiesOf)).toEqual([]);
    const code = await receiveCode(proxied, email, 'reset_password');
    const reset = { email, code, new_password: 'another long test password' };
    expect(cookiesOf(await post('/auth/reset_password', reset))).toEqual([]);
  });

  it('cannot be replaced by a form on another site', async () => {
    const { email } = await createUser(proxied);
    const form = new URLSearchParams({ grant_type: 'password', username: email, password: PASSWORD }).toString();
    const send = (headers: Record<string, string>) =>
      call(`${proxied.url}/auth/token`, {
        raw: form,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: proxied.origin },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://evil.example', 'content-type': 'Application/X-WWW-Form-Urlencoded' },
    ];
    for (const headers of foreign) {
      const answer = await send(headers);
      expect([answer.status, cookiesOf(answer)]).toEqual([200, []]);
    }
    const own: Record<string, string>[] = [
      {},
      { origin: proxied.origin },
      { 'sec-fetch-site': 'same-origin', origin: 'https://before-the-proxy.example' },
    ];
    for (const headers of own) {
      expect(cookiesOf(await send(headers))).toEqual([DEVICE_COOKIE]);
    }
  });

  it('gets a new value if its value is not ours', async () => {
    const { email } = await createUser(proxied);
    for (const value of ['', 'phone', 'A'.repeat(44), '%F0%9F']) {
      const client = new SignInClient(proxied, '192.0.2.1').takeDevice(value);
      expect((await client.logIn(email, PASSWORD)).status).toBe(200);
      expect(client.device).toMatch(/^[\w-]{43}$/);
    }
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
