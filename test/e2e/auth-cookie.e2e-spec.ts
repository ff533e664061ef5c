import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { createUser, newcomer, PASSWORD, receiveCode, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { BrowserClient, cookiesOf, DEVICE_COOKIE, REFRESH_COOKIE } from '../support/browser-client';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

describe('a session in a cookie', () => {
  const app = useOwnTestApp();
  let account: TestAccount;
  let browser: BrowserClient;

  const me = (token: string) => call(`${app.url}/auth/me`, { token });
  const logIn = (from = browser, headers: Record<string, string> = {}) =>
    from.post<TokenPairDto>('/auth/login', { email: account.email, password: PASSWORD, session: 'cookie' }, headers);
  const refresh = (from = browser, headers: Record<string, string> = {}) =>
    from.post<TokenPairDto>('/auth/refresh_token', { session: 'cookie' }, headers);

  beforeAll(() => {
    app.freezeClock();
  });

  beforeEach(async () => {
    account = await createUser(app);
    browser = new BrowserClient(app.url);
  });

  it('has its refresh token only in the cookie, which scripts and other sites cannot use', async () => {
    const answer = await logIn();
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_expires_in']);
    expect(cookiesOf(answer)).toEqual([REFRESH_COOKIE, DEVICE_COOKIE]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.text).not.toContain(browser.refreshToken);
    expect((await me(answer.body.access_token)).status).toBe(200);
  });

  it('starts with a code, and with a registration, too', async () => {
    const login = await receiveCode(app, account.email, 'login');
    const verified = await browser.post('/auth/verify', { email: account.email, code: login, session: 'cookie' });
    expect([verified.status, cookiesOf(verified)]).toEqual([200, [REFRESH_COOKIE, DEVICE_COOKIE]]);
    expect(verified.body).not.toHaveProperty('refresh_token');

    const registration = newcomer();
    const code = await receiveCode(app, registration.email, 'register');
    const registered = await browser.post('/auth/register', { ...registration, code, session: 'cookie' });
    expect([registered.status, cookiesOf(registered)]).toEqual([200, [REFRESH_COOKIE, DEVICE_COOKIE]]);
    expect(registered.body).not.toHaveProperty('refresh_token');
  });

  it('gets a new cookie at each exchange', async () => {
    await logIn();
    for (let times = 0; times < 3; times++) {
      const before = browser.refreshToken;
      const answer = await refresh();
      expect(answer.status).toBe(200);
      expect(answer.body).not.toHaveProperty('refresh_token');
      expect(cookiesOf(answer)).toEqual([REFRESH_COOKIE]);
      expect(browser.refreshToken).not.toBe(before);
      expect((await me(answer.body.access_token)).status).toBe(200);
      app.advanceClock(29 * 86_400_000);
    }
  });

  it.each(['cross-site', 'same-site', 'none', ''])(
    "is for the service's own pages only: Sec-Fetch-Site is “%s”",
    async (site) => {
      await logIn();
      const before = browser.refreshToken;
      const headers = { 'sec-fetch-site': site };
      const refused = await refresh(browser, headers);
      expectFailure(refused, 403, 'SAME_ORIGIN_REQUIRED');
      expect(refused.headers.getSetCookie()).toEqual([]);
      expectFailure(await logIn(browser, headers), 403, 'SAME_ORIGIN_REQUIRED');
      const code = await receiveCode(app, account.email, 'login');
      const proof = { email: account.email, code, session: 'cookie' };
      expectFailure(await browser.post('/auth/verify', proof, headers), 403, 'SAME_ORIGIN_REQUIRED');
      const newAccount = { ...newcomer(), code: '123456', session: 'cookie' };
      expectFailure(await browser.post('/auth/register', newAccount, headers), 403, 'SAME_ORIGIN_REQUIRED');
      // The cookie was not used up, and neither was the code.
      expect(browser.refreshToken).toBe(before);
      expect((await refresh()).status).toBe(200);
      expect((await browser.post('/auth/verify', proof)).status).toBe(200);
    },
  );

  it('is not for clients without that header', async () => {
    const body = { email: account.email, password: PASSWORD, session: 'cookie' };
    expectFailure(await call(`${app.url}/auth/login`, { body }), 403, 'SAME_ORIGIN_REQUIRED');
    expectFailure(await call(`${app.url}/auth/refresh_token`, { body }), 403, 'SAME_ORIGIN_REQUIRED');
  });

  it('works in twenty tabs that refresh concurrently', async () => {
    await logIn();
    const tabs = Array.from({ length: 20 }, () => browser.copy());
    const answers = await Promise.all(tabs.map((tab) => refresh(tab)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(tabs.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    app.advanceClock(60_000);
    for (const { body } of answers) {
      expect((await me(body.access_token)).status).toBe(200);
    }
    expect((await refresh(tabs[0])).status).toBe(200);
  });

  it('ends for both when a stolen token is used, and leaves no cookie', async () => {
    await logIn();
    const thief = browser.copy();
    expect((await refresh(thief)).status).toBe(200);
    app.advanceClock(11_000);
    expectFailure(await refresh(), 401, 'REFRESH_TOKEN_REUSED');
    expectFailure(await refresh(thief), 401, 'REFRESH_TOKEN_INVALID');
    expect([browser.refreshToken, thief.refreshToken]).toEqual(['', '']);
  });

  it('leaves no cookie when its token is forged or has expired, and sets none when there was none', async () => {
    const without = await refresh();
    expectFailure(without, 401, 'REFRESH_TOKEN_INVALID');
    expect(without.headers.getSetCookie()).toEqual([]);
    for (const forged of ['', 'rubbish', '%F0%9F', 'A'.repeat(100), account.token]) {
      browser.cookies.set('refresh_token', forged);
      const refused = await refresh();
      expectFailure(refused, 401, 'REFRESH_TOKEN_INVALID');
      expect(refused.headers.getSetCookie()).toEqual([
        'refresh_token=; Path=/api/v1/auth; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict',
      ]);
    }
    await logIn();
    app.advanceClock(30 * 86_400_000);
    expectFailure(await refresh(), 401, 'REFRESH_TOKEN_INVALID');
    expect(browser.refreshToken).toBe('');
  });

  it('pauses while its user is banned', async () => {
    await logIn();
    const admin = await AdminClient.of(app);
    await admin.post(`/admin/users/${account.user.id}/ban`, { reason: 'test' });
    expectFailure(await refresh(), 403, 'ACCOUNT_BANNED');
    expect(browser.refreshToken).not.toBe('');
    await admin.post(`/admin/users/${account.user.id}/unban`, {});
    expect((await refresh()).status).toBe(200);
  });

  it('ends with a logout and with a new password, and then there is no cookie', async () => {
    const { body } = await logIn();
    const kept = browser.refreshToken;
    expect((await browser.post('/auth/logout', {}, { authorization: `Bearer ${body.access_token}` })).status).toBe(200);
    expect(browser.refreshToken).toBe('');
    browser.cookies.set('refresh_token', kept);
    expectFailure(await refresh(), 401, 'REFRESH_TOKEN_INVALID');

    await logIn();
    const code = await receiveCode(app, account.email, 'reset_password');
    const reset = { email: account.email, code, new_password: 'another long test password' };
    expect((await browser.post('/auth/reset_password', reset)).status).toBe(200);
    expect(browser.refreshToken).toBe('');
  });

  it('cannot be refreshed after the account was closed, or the session ended elsewhere', async () => {
    await logIn();
    expect((await call(`${app.url}/user/sessions`, { method: 'DELETE', token: account.token })).status).toBe(200);
    expectFailure(await refresh(), 401, 'REFRESH_TOKEN_INVALID');
    const { body } = await logIn();
    const closed = await call(`${app.url}/user/account`, {
      method: 'DELETE',
      token: body.access_token,
      body: { password: PASSWORD },
    });
    expect(closed.status).toBe(200);
    expectFailure(await refresh(), 401, 'REFRESH_TOKEN_INVALID');
    expect(browser.refreshToken).toBe('');
  });

  it('opens nothing by itself: every other route needs the access token', async () => {
    await logIn();
    const cookie = `refresh_token=${browser.refreshToken}`;
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    for (const [method, path] of [
      ['GET', '/auth/me'],
      ['POST', '/auth/logout'],
      ['POST', '/user/change_password'],
      ['DELETE', '/user/account'],
      ['POST', '/chat'],
    ] as const) {
      const body = method === 'GET' ? undefined : {};
      expectFailure(await call(`${app.url}${path}`, { method, body, headers }), 401, 'UNAUTHORIZED');
    }
    // A refresh without `session` does not read the cookie.
    const body = { refresh_token: 'rubbish' };
    const other = await call(`${app.url}/auth/refresh_token`, { body, headers });
    expectFailure(other, 401, 'REFRESH_TOKEN_INVALID');
    expect(other.headers.getSetCookie()).toEqual([]);
    expectFailure(await call(`${app.url}/auth/refresh_token`, { body: {}, headers }), 422, 'VALIDATION_ERROR');
    expect((await refresh()).status).toBe(200);
  });

  it('is not for API keys', async () => {
    const { key } = await makeKey(app, account.token);
    const refused = await logIn(browser, { authorization: `Bearer ${key}` });
    expectFailure(refused, 403, 'SCOPE_REQUIRED');
    expect(refused.headers.getSetCookie()).toEqual([]);
  });
});
