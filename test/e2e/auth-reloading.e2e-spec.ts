import { Database } from '../../src/database/database';
import { type TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import { createUser, logIn, PASSWORD, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { BrowserClient } from '../support/browser-client';
import { type Answer, call, type CallOptions, expectFailure } from '../support/http';
import { useTestApp } from '../support/use-app';

const LIMITS = { RATE_LIMIT_NORMAL: '60', RATE_LIMIT_ANONYMOUS: '60', RATE_LIMIT_AUTH: '30', TRUST_PROXY: '1' };

describe('the rate limit of refreshes', () => {
  const app = useTestApp(LIMITS);
  let account: TestAccount;
  let address: Record<string, string>;
  let tests = 0;

  const budgetOf = ({ headers }: Answer) =>
    ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
  const refresh = (refreshToken: string, options: CallOptions = {}) =>
    call<TokenPairDto>(`${app.url}/auth/refresh_token`, {
      body: { refresh_token: refreshToken },
      ...options,
      headers: { ...address, ...options.headers },
    });
  const signIn = (email: string) =>
    call(`${app.url}/auth/login`, { body: { email, password: PASSWORD }, headers: address });
  /** The remaining limit of the address at the next refused sign-in. */
  const leftOfAddress = async () => budgetOf(await refresh('rubbish'))[1];

  beforeAll(() => {
    app.freezeClock();
  });

  beforeEach(async () => {
    app.advanceClock(61_000);
    account = await createUser(app);
    address = { 'x-forwarded-for': `192.0.2.${++tests}` };
  });

  it('lets a hundred users behind one address reload their pages, and then sign in', async () => {
    const people = await Promise.all(Array.from({ length: 100 }, () => createUser(app)));
    for (const { refreshToken } of people) {
      const page = new BrowserClient(app.url, address);
      page.cookies.set('refresh_token', refreshToken);
      const reloaded = await page.post<TokenPairDto>('/auth/refresh_token', { session: 'cookie' });
      expect([reloaded.status, budgetOf(reloaded)]).toEqual([200, [30, 29]]);
      const me = await call(`${app.url}/users/me`, { token: reloaded.body.access_token, headers: address });
      expect([me.status, budgetOf(me)]).toEqual([200, [60, 59]]);
    }
    const signedIn = await signIn(account.email);
    expect([signedIn.status, budgetOf(signedIn)]).toEqual([200, [30, 29]]);
  });

  it('lets a hundred users behind one address load the sign-in page, and then sign in', async () => {
    for (let count = 0; count < 100; count++) {
      for (const asked of [`${app.origin}/`, `${app.url}/setup`]) {
        const { status, headers } = await call(asked, { headers: address });
        expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null]);
      }
    }
    const signedIn = await signIn(account.email);
    expect([signedIn.status, budgetOf(signedIn)]).toEqual([200, [30, 29]]);
  });

  it('allows each session thirty a minute, separate from the limits of its user and its address', async () => {
    let { refreshToken } = account;
    for (let left = 29; left >= 0; left--) {
      const answer = await refresh(refreshToken, { token: account.token });
      expect([answer.status, budgetOf(answer)]).toEqual([200, [30, left]]);
      refreshToken = answer.body.refresh_token;
    }
    const refused = await refresh(refreshToken);
    expect(expectFailure(refused, 429, 'RATE_LIMIT_EXCEEDED')).toMatchObject({
      retry_after: 60,
      details: { limit: 30 },
    });
    expect(budgetOf(refused)).toEqual([30, 0]);
    expect(refused.headers.get('retry-after')).toBe('60');

    const other = await logIn(app, account.user.id);
    expect(budgetOf(await refresh(other.refresh_token))).toEqual([30, 29]);
    expect(budgetOf(await call(`${app.url}/users/me`, { token: account.token }))).toEqual([60, 59]);
    expect(await leftOfAddress()).toBe(29);
    app.advanceClock(60_000);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  it('allows exactly thirty of sixty concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => refresh(account.refreshToken)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
  });

  it('counts forged tokens by address, before the database is queried, and does not affect the sessions there', async () => {
    const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => refresh(`rubbish${index}`)));
    const statements = log.mock.calls.filter(([statement]) => /\b(sessions|users)\b/.test(statement));
    log.mockRestore();
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(70);
    refused.forEach((answer) => expect(budgetOf(answer)[1]).toBe(0));
    expect(statements).toEqual([]);
    expect(budgetOf(await refresh(account.refreshToken))).toEqual([30, 29]);
    expectFailure(await signIn(account.email), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('counts all refusals by address, with or without an access token', async () => {
    const { key } = await makeKey(app, account.token);
    const json = { 'content-type': 'application/json' };
    const ways: [CallOptions, number, string][] = [
      [{ body: { refresh_token: 'rubbish' }, token: account.token }, 401, 'REFRESH_TOKEN_INVALID'],
      [{ body: {} }, 422, 'VALIDATION_ERROR'],
      [{ body: { refresh_token: account.refreshToken, lang: 5 } }, 422, 'VALIDATION_ERROR'],
      [{ body: { refresh_token: account.refreshToken }, token: key }, 403, 'SCOPE_REQUIRED'],
      [{ body: { session: 'cookie' } }, 403, 'SAME_ORIGIN_REQUIRED'],
      [
        { body: { session: 'cookie' }, headers: { cookie: `refresh_token=${account.refreshToken}` } },
        403,
        'SAME_ORIGIN_REQUIRED',
      ],
      [{ raw: '{', headers: json }, 400, 'INVALID_JSON'],
      [{ raw: 'refresh_token=rubbish', headers: { 'content-type': 'text/plain' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [{ raw: JSON.stringify({ refresh_token: 'x'.repeat(16_384) }), headers: json }, 413, 'PAYLOAD_TOO_LARGE'],
    ];
    let left = 30;
    for (const [options, status, code] of ways) {
      const answer = await refresh('', { body: undefined, ...options });
      expectFailure(answer, status, code);
      expect([code, budgetOf(answer)]).toEqual([code, [30, --left]]);
    }
  });

  it('counts a former token by address, even with the answer 429', async () => {
    const old = account.refreshToken;
    const { body } = await refresh(old);
    app.advanceClock(11_000);
    const reused = await refresh(old);
    expectFailure(reused, 401, 'REFRESH_TOKEN_REUSED');
    expect(budgetOf(reused)).toEqual([30, 29]);
    const ended = await refresh(body.refresh_token);
    expectFailure(ended, 401, 'REFRESH_TOKEN_INVALID');
    expect(budgetOf(ended)).toEqual([30, 28]);

    const banned = await createUser(app);
    await (await AdminClient.of(app)).post(`/admin/users/${banned.user.id}/ban`, { reason: 'test' });
    const rests = await refresh(banned.refreshToken);
    expectFailure(rests, 403, 'ACCOUNT_BANNED');
    expect(budgetOf(rests)).toEqual([30, 27]);
    for (let left = 27; left > 0; left--) {
      await refresh('rubbish');
    }
    const last = await refresh(banned.refreshToken);
    expectFailure(last, 429, 'RATE_LIMIT_EXCEEDED');
    expect(budgetOf(last)).toEqual([30, 0]);
  });

  it('returns no different error for a method that the route does not have', async () => {
    const answer = await call(`${app.url}/auth/refresh_token`, { headers: address });
    expectFailure(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(budgetOf(answer)).toEqual([30, 29]);
  });
});
