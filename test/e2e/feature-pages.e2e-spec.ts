import type { FeaturePageDto, PageTokenDto } from '../../src/modules/auth/pages/page.dto';
import type { BootstrapDto } from '../../src/modules/bootstrap/bootstrap.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { call, expectFailure } from '../support/http';
import { CopiedNotebookModule, NotebookModule, ShelfModule } from '../support/notebook-feature';
import { startTestApp } from '../support/test-app';
import { useOwnTestApp, useTestApp } from '../support/use-app';

const PAGES: FeaturePageDto[] = [
  { path: 'notebook/page', title: 'Notebook', icon: 'tag' },
  { path: 'shelf/page', title: 'Shelf', icon: 'nonsense' },
];

describe('the page of a feature', () => {
  const app = useOwnTestApp({ CORS_ORIGINS: 'https://app.example.com' }, [NotebookModule, ShelfModule]);
  let user: TestAccount;

  beforeEach(async () => {
    user = await createUser(app);
  });

  afterEach(() => app.resetClock());

  const issue = (token: string, path = 'notebook/page') =>
    call<PageTokenDto>(`${app.url}/pages/token`, { token, body: { path } });
  const tokenOf = async (account = user) => (await issue(account.token)).body.token;
  const notes = (token: string) => call(`${app.url}/notebook/notes`, { token });

  it('is listed for the console, also with the data of its first page', async () => {
    expect((await call(`${app.url}/pages`, { token: user.token })).body).toEqual(PAGES);
    expect((await call<BootstrapDto>(`${app.url}/bootstrap`, { token: user.token })).body.pages).toEqual(PAGES);
    expectFailure(await call(`${app.url}/pages`), 401, 'UNAUTHORIZED');
  });

  it('gets a token of ten minutes, which opens the routes of its feature as the user', async () => {
    const { status, body } = await issue(user.token);
    expect(status).toBe(200);
    const lifetime = Date.parse(body.expires_at) - Date.now();
    expect([lifetime > 595_000, lifetime <= 600_000]).toEqual([true, true]);
    const added = await call(`${app.url}/notebook/notes`, { token: body.token, body: { text: 'mine' } });
    expect([added.status, added.body]).toEqual([200, ['mine']]);
    expect((await notes(await tokenOf(await createUser(app)))).body).toEqual([]);
  });

  it('has the rights of the user, and no more', async () => {
    const all = async (account: TestAccount) =>
      call(`${app.url}/notebook/notes/all`, { token: await tokenOf(account) });
    expectFailure(await all(user), 403, 'FORBIDDEN');
    expect((await all(await createAdmin(app))).status).toBe(200);
  });

  it.each([
    ['the account', 'GET', '/auth/me'],
    ['the first data of the console', 'GET', '/bootstrap'],
    ['conversations', 'POST', '/chat'],
    ['another feature', 'GET', '/shelf'],
    ['the next token', 'POST', '/pages/token'],
    ['the end of a session', 'POST', '/auth/logout'],
    ['API keys', 'POST', '/user/api-keys'],
  ])('has a token that does not open %s', async (_what, method, path) => {
    const answer = await call(`${app.url}${path}`, {
      method,
      token: await tokenOf(),
      ...(method === 'POST' && { body: {} }),
    });
    expectFailure(answer, 401, 'TOKEN_INVALID');
  });

  it('has a token that identifies no user on public routes of others', async () => {
    const asked = await call(`${app.url}/shelf/open`, { token: await tokenOf() });
    expect(asked.body).toEqual({ user: null });
    expect((await call(`${app.url}/shelf/open`, { token: user.token })).body).toEqual({ user: user.user.id });
  });

  it('has a token that ends after ten minutes, with the session, and with a ban', async () => {
    const token = await tokenOf();
    app.advanceClock(601_000);
    expectFailure(await notes(token), 401, 'TOKEN_EXPIRED');
    app.resetClock();
    expect((await notes(token)).status).toBe(200);
    await call(`${app.url}/auth/logout`, { method: 'POST', token: user.token });
    expectFailure(await notes(token), 401, 'SESSION_REVOKED');
    const banned = await createUser(app);
    const other = await tokenOf(banned);
    const admin = await createAdmin(app);
    await call(`${app.url}/admin/users/${banned.user.id}/ban`, { token: admin.token, body: { reason: 'Spam' } });
    expectFailure(await notes(other), 403, 'ACCOUNT_BANNED');
  });

  it('gets no token for an unknown page, nor with an API key', async () => {
    expectFailure(await issue(user.token, 'notebook'), 404, 'PAGE_NOT_FOUND');
    expectFailure(await issue((await makeKey(app, user.token)).key), 403, 'SCOPE_REQUIRED');
  });

  it.each(['x', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIiwic2lkIjoxLCJwYWdlIjoibm90ZWJvb2svcGFnZSJ9.', ''])(
    'refuses the forged token pt_%s',
    async (text) => {
      expectFailure(await notes(`pt_${text}`), 401, 'TOKEN_INVALID');
      expectFailure(await notes(`pt_${user.token}`), 401, 'TOKEN_INVALID');
    },
  );

  it('is served for a sandboxed frame of the console, and nowhere else', async () => {
    for (const path of ['notebook/page', 'notebook/page/page.js']) {
      const { status, headers } = await call(`${app.url}/${path}`);
      expect(status).toBe(200);
      expect(headers.get('content-security-policy')).toMatch(
        /frame-ancestors 'self'; sandbox allow-forms allow-scripts$/,
      );
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    }
    const { headers } = await call(`${app.url}/notebook/notes`, { token: user.token });
    expect(headers.get('content-security-policy')).not.toMatch(/sandbox/);
  });

  it('may be called from a frame without origin, which no other route may', async () => {
    const asked = async (path: string, origin: string) => {
      const headers = {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      };
      const preflight = await call(`${app.url}${path}`, { method: 'OPTIONS', headers });
      const answer = await call(`${app.url}${path}`, { token: user.token, headers: { origin } });
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      return [preflight, answer].map((one) => one.headers.get('access-control-allow-origin'));
    };
    expect(await asked('/notebook/notes', 'null')).toEqual(['null', 'null']);
    expect(await asked('/auth/me', 'null')).toEqual([null, null]);
    expect(await asked('/notebook/notes', 'https://evil.example')).toEqual([null, null]);
    expect(await asked('/auth/me', 'https://app.example.com')).toEqual(Array(2).fill('https://app.example.com'));
  });

  it('must have a path of its own', async () => {
    const start = startTestApp({}, [NotebookModule, CopiedNotebookModule]);
    await expect(start).rejects.toThrow(/defines the page notebook\/page, which NotebookModule defines already/);
  });
});

describe('an installation without pages of features', () => {
  const app = useTestApp();

  it('lists none', async () => {
    const { token } = await createUser(app);
    expect((await call(`${app.url}/pages`, { token })).body).toEqual([]);
  });
});
