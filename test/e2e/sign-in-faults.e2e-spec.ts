// @databases mariadb: two instances share one database
import { LoadGate } from '../../src/common/load/load-gate';
import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import { SignInEntity } from '../../src/modules/identity/sign-in/sign-in.entity';
import { call, expectFailure } from '../support/http';
import { type Forgery, newKey } from '../support/servers/fake-issuer';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { parametersOf, SignInBrowser } from '../support/sign-in-browser';
import { startInstance, startTestApp } from '../support/test-app';

const NOW = (): number => Math.floor(Date.now() / 1_000);
const RETURN_PAGE = 'https://app.example.com/signed-in';

describe('an invalid sign-in', () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp({ OIDC_RETURN_URLS: RETURN_PAGE });
  });

  afterAll(() => app.close());

  beforeEach(() => {
    app.issuer.reset();
    app.newPerson();
  });

  async function errorOf(browser = new SignInBrowser(app)): Promise<string | null> {
    return (await browser.returnFrom('company')).get('error');
  }

  describe('by its ID token', () => {
    const cases: Record<string, () => Forgery> = {
      'without a signature': () => ({ header: { alg: 'none' }, signature: '' }),
      'signed with the public key as a secret': () => ({ header: { alg: 'HS256' } }),
      'signed by somebody else': () => ({ key: newKey() }),
      'signed by somebody else under the key’s name': () => ({ key: { ...newKey(), kid: app.issuer.key.kid } }),
      'with a wrong signature': () => ({ signature: 'AAAA' }),
      'for another client': () => ({ claims: { aud: 'another' } }),
      'for several clients, without a party': () => ({ claims: { aud: ['chat', 'another'] } }),
      'for another party': () => ({ claims: { azp: 'another' } }),
      'of another issuer': () => ({ claims: { iss: 'https://evil.example' } }),
      'of the issuer with a slash': () => ({ claims: { iss: `${app.issuer.issuer}/` } }),
      'that expired more than a minute ago': () => ({ claims: { exp: NOW() - 90 } }),
      'without an end': () => ({ claims: { exp: undefined } }),
      'that is not valid yet': () => ({ claims: { nbf: NOW() + 600 } }),
      'from a clock ten minutes ahead': () => ({ claims: { iat: NOW() + 600, exp: NOW() + 900 } }),
      'with the nonce of another sign-in': () => ({ claims: { nonce: 'another' } }),
      'without a nonce': () => ({ claims: { nonce: undefined } }),
      'without a subject': () => ({ claims: { sub: undefined } }),
      'with an endless subject': () => ({ claims: { sub: 'x'.repeat(256) } }),
      'with a critical header': () => ({ header: { crit: ['exp'] } }),
    };

    it.each(Object.keys(cases))('%s', async (name) => {
      app.issuer.forgery = cases[name]?.() ?? {};
      expect(await errorOf()).toBe('IDENTITY_PROVIDER_ERROR');
      app.issuer.forgery = {};
      expect(await errorOf()).toBeNull();
    });

    it.each<[string, () => Forgery]>([
      ['ahead', () => ({ claims: { iat: NOW() + 50, nbf: NOW() + 50 } })],
      ['behind', () => ({ claims: { exp: NOW() - 45 } })],
    ])('is accepted when the clock of the provider is almost a minute %s', async (_which, forgery) => {
      app.issuer.forgery = forgery();
      expect(await errorOf()).toBeNull();
    });

    it('is accepted with a new key, whose document is read at most once a minute', async () => {
      expect(await errorOf()).toBeNull();
      app.advanceClock(61_000);
      app.issuer.asked.clear();
      app.issuer.rotateKeys();
      app.issuer.forgery = { claims: { iat: NOW() + 61, exp: NOW() + 300 } };
      expect(await errorOf()).toBeNull();
      expect(app.issuer.asked.get('/jwks')).toBe(1);
      app.issuer.forgery.key = newKey();
      expect([await errorOf(), await errorOf()]).toEqual(['IDENTITY_PROVIDER_ERROR', 'IDENTITY_PROVIDER_ERROR']);
      expect(app.issuer.asked.get('/jwks')).toBe(1);
      app.resetClock();
    });

    it('is not enough: userinfo of another user is refused', async () => {
      await app.configure({ claim_source: 'userinfo' });
      app.issuer.userinfo = { sub: 'somebody else', email: 'eve@example.com', email_verified: true };
      expect(await errorOf()).toBe('IDENTITY_PROVIDER_ERROR');
      app.issuer.userinfo = undefined;
      expect(await errorOf()).toBeNull();
      await app.configure(PROVIDER_SETTINGS);
    });
  });

  describe('by its state', () => {
    it('comes from another browser', async () => {
      const victim = new SignInBrowser(app);
      const address = await new SignInBrowser(app).comeBack('company');
      expect(parametersOf(await victim.go(address)).get('error')).toBe('LOGIN_STATE_INVALID');
    });

    it('is used up by any attempt', async () => {
      const browser = new SignInBrowser(app);
      const address = await browser.comeBack('company');
      await new SignInBrowser(app).go(address);
      expect(parametersOf(await browser.go(address)).get('error')).toBe('LOGIN_STATE_INVALID');
    });

    it('is unknown, from another provider, sent twice, missing or too old', async () => {
      const browser = new SignInBrowser(app);
      const address = await browser.comeBack('company');
      const places = [
        address.replace(/state=[^&]*/, `state=${'x'.repeat(43)}`),
        `${address}&state=x`,
        address.replace(/state=[^&]*/, ''),
        (await browser.comeBack('company')).replace('/oidc/company/', '/oidc/another/'),
      ];
      for (const place of places) {
        const answer = await browser.go(place);
        expect(answer.headers.get('location')).toBe('/console?error=LOGIN_STATE_INVALID');
      }
      app.advanceClock(601_000);
      expect((await browser.go(address)).headers.get('location')).toBe('/console?error=LOGIN_STATE_INVALID');
      app.resetClock();
    });

    it('is answered without the issuer, or with another one', async () => {
      for (const change of [
        (url: URL) => url.searchParams.delete('iss'),
        (url: URL) => url.searchParams.set('iss', 'x'),
      ]) {
        const browser = new SignInBrowser(app);
        const url = new URL(await browser.comeBack('company'));
        change(url);
        expect(parametersOf(await browser.go(url.href)).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
      }
    });

    it('is answered with a used code', async () => {
      const first = new URL(await new SignInBrowser(app).comeBack('company'));
      const browser = new SignInBrowser(app);
      const url = new URL(await browser.comeBack('company'));
      url.searchParams.set('code', first.searchParams.get('code') ?? '');
      expect(parametersOf(await browser.go(url.href)).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
    });

    it.each([
      ['access_denied', 'LOGIN_CANCELLED'],
      ['server_error', 'IDENTITY_PROVIDER_ERROR'],
    ])('is answered by %s', async (error, code) => {
      const leaving = new SignInBrowser(app);
      const url = new URL(await leaving.comeBack('company', RETURN_PAGE));
      url.searchParams.delete('code');
      url.searchParams.set('error', error);
      const answer = await leaving.go(url.href);
      expect(answer.headers.get('location')).toBe(`${RETURN_PAGE}?error=${code}`);
    });

    it('has a login code for sixty seconds', async () => {
      const browser = new SignInBrowser(app);
      const code = (await browser.returnFrom('company')).get('login_code') ?? '';
      app.advanceClock(61_000);
      expectFailure(await browser.exchange(code), 401, 'LOGIN_CODE_INVALID');
      app.resetClock();
    });

    it('continues on another instance', async () => {
      const other = await startInstance(app.environment).catch(() => null);
      // A SQLite file belongs to one process.
      if (other === null) return;
      const browser = new SignInBrowser(app);
      const address = await browser.comeBack('company');
      const elsewhere = new SignInBrowser(other);
      browser.cookies.forEach((value, name) => elsewhere.cookies.set(name, value));
      const code = parametersOf(await elsewhere.go(address)).get('login_code') ?? '';
      expect(await browser.exchange(code)).toMatchObject({ status: 200 });
      await other.app.close();
    });
  });

  describe('by its start', () => {
    /** The error code of a start, which redirects back to the page in the query. */
    async function refusalOf(query: Record<string, string>, slug = 'company'): Promise<string | undefined> {
      const text = new URLSearchParams({ ...query, return_to: RETURN_PAGE }).toString();
      const { headers } = await call(`${app.url}/auth/oidc/${slug}/start?${text}`);
      return headers.get('location')?.split(`${RETURN_PAGE}?error=`)[1];
    }

    it.each([
      ['a foreign page', { return_to: 'https://evil.example/' }],
      ['a page that starts like an own one', { return_to: `${RETURN_PAGE}.evil.example` }],
      ['a query', { return_to: `${RETURN_PAGE}?x` }],
      ['a fragment', { return_to: '/console#x' }],
      ['two slashes', { return_to: '//evil.example' }],
      ['no challenge', { code_challenge: undefined }],
      ['a short challenge', { code_challenge: 'x'.repeat(42) }],
      ['a challenge of other characters', { code_challenge: '+'.repeat(43) }],
    ])('requests %s', async (_what, query) => {
      const { challenge } = new SignInBrowser(app);
      const all = Object.entries({ code_challenge: challenge, ...query }).filter(([, value]) => value !== undefined);
      const text = new URLSearchParams(all as [string, string][]).toString();
      const answer = await call(`${app.url}/auth/oidc/company/start?${text}`);
      expect(answer).toMatchObject({ status: 302, text: expect.not.stringContaining('{') as string });
      expect(answer.headers.get('location')).toBe('/console?error=VALIDATION_ERROR');
    });

    it('redirects back to the initial page', async () => {
      const { challenge } = new SignInBrowser(app);
      expect(await refusalOf({ code_challenge: challenge }, 'nobody')).toBe('IDENTITY_PROVIDER_NOT_FOUND');
      expect(await refusalOf({ code_challenge: 'x' })).toBe('VALIDATION_ERROR');
      const away = {
        slug: 'away',
        name: 'Away',
        issuer: 'https://away.example',
        client_id: 'chat',
        client_secret: 'a-secret',
      };
      expect(await app.admin.post('/admin/identity_providers', away)).toMatchObject({ status: 201 });
      expect(await refusalOf({ code_challenge: challenge }, 'away')).toBe('IDENTITY_PROVIDER_ERROR');
    });

    it('redirects back even if the service is overloaded', async () => {
      const { challenge } = new SignInBrowser(app);
      jest.spyOn(app.app.get(LoadGate), 'takes').mockReturnValue(false);
      expect(await refusalOf({ code_challenge: challenge })).toBe('SERVICE_OVERLOADED');
      const elsewhere = await call(`${app.url}/auth/oidc/company/start?return_to=https://evil.example/`);
      expect(elsewhere.headers.get('location')).toBe('/console?error=SERVICE_OVERLOADED');
      for (const path of ['auth/oidc/company', 'oauth/mcp']) {
        const { status, headers, text } = await call(`${app.url}/${path}/callback?state=x`);
        expect([status, headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8']);
        expect([text, headers.get('retry-after')]).toEqual([expect.stringMatching(/^[^{]+\n$/), expect.any(String)]);
      }
      jest.restoreAllMocks();
    });

    it('accepts a browser that only accepts pages, in both directions', async () => {
      const browser = new SignInBrowser(app, { accept: 'text/html' });
      expect((await browser.returnFrom('company')).get('login_code')).not.toBeNull();
    });

    it('names a provider that does not exist, or is switched off', async () => {
      const browser = new SignInBrowser(app);
      const address = await browser.comeBack('company');
      const returned = new SignInBrowser(app);
      const code = (await returned.returnFrom('company')).get('login_code') ?? '';
      app.newPerson({ email_verified: false });
      const { details } = expectFailure(await new SignInBrowser(app).signIn('company'), 409, 'IDENTITY_LINK_REQUIRED');
      const request = { purpose: 'link_identity', link_token: details.link_token };
      const ask = () => call(`${app.url}/auth/send_code`, { body: request });
      app.advanceClock(601_000);
      expectFailure(await ask(), 401, 'LOGIN_CODE_INVALID');
      app.resetClock();
      await app.configure({ is_active: false });
      expectFailure(await returned.exchange(code), 401, 'LOGIN_CODE_INVALID');
      expectFailure(await ask(), 401, 'LOGIN_CODE_INVALID');
      const refused = parametersOf(await new SignInBrowser(app).start('company'));
      expect(refused.get('error')).toBe('IDENTITY_PROVIDER_NOT_FOUND');
      expect(parametersOf(await browser.go(address)).get('error')).toBe('LOGIN_STATE_INVALID');
      await app.configure({ is_active: true });
    });

    it('is limited to six thousand for each address', async () => {
      await new SignInBrowser(app).start('company');
      const database = app.app.get(Database);
      const [living] = await database.repository(SignInEntity).find({ order: { id: 'DESC' }, take: 1 });
      const { id: _id, ...row } = living!;
      const rows = Array.from({ length: 6_000 }, (_, index) => ({ ...row, tokenHash: `one of many ${index}` }));
      await database.write((manager) => insertBatch(manager, SignInEntity, rows));
      const refused = parametersOf(await new SignInBrowser(app).start('company'));
      expect(refused.get('error')).toBe('RATE_LIMIT_EXCEEDED');
      app.advanceClock(601_000);
      expect(parametersOf(await new SignInBrowser(app).start('company')).get('error')).toBeNull();
      app.resetClock();
      await database.write((manager) => manager.clear(SignInEntity));
    });

    it('sets a cookie that no script reads, and keeps tokens out of addresses', async () => {
      const browser = new SignInBrowser(app);
      const leaving = await browser.start('company');
      expect(leaving.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^oidc-[0-9a-f]{16}=[\w-]{43}; Max-Age=600; Path=\/api\/v1\/auth\/oidc; .*HttpOnly; SameSite=Lax$/,
        ),
      ]);
      expect(leaving.headers.get('cache-control')).toBe('no-store');
      const arrived = await browser.go(await browser.answerOf(leaving.headers.get('location') ?? ''));
      expect(arrived.headers.get('location')).toMatch(/^\/console\?login_code=[\w-]{43}$/);
      expect(browser.cookies.size).toBe(0);
    });
  });

  it('redirects to a plain page if there is no console', async () => {
    const other = await startTestApp({ CONSOLE_ENABLED: 'false' });
    for (const [way, status, text] of [
      ['callback?state=x', 400, 'This sign-in has expired or was started in another browser. Start again.\n'],
      ['start?return_to=/console', 400, expect.not.stringContaining('{')],
    ]) {
      const answer = await call(`${other.url}/auth/oidc/company/${way}`);
      expect(answer).toMatchObject({ status, text });
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
    await other.close();
  });
});
