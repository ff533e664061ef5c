import { Database } from '../../src/database/database';
import { SignInEntity } from '../../src/modules/identity/sign-in/sign-in.entity';
import { call, expectFailure } from '../support/http';
import { type Forgery, newKey } from '../support/servers/fake-issuer';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { parametersOf, SignInBrowser } from '../support/sign-in-browser';
import { startInstance, startTestApp } from '../support/test-app';

const NOW = (): number => Math.floor(Date.now() / 1_000);
const RETURN_PAGE = 'https://app.example.com/signed-in';

describe('a sign-in that is not as it should be', () => {
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
      'that has expired': () => ({ claims: { exp: NOW() - 60 } }),
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

    it('is accepted when it is of a new key, whose document is read at most once a minute', async () => {
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

    it('is not all: userinfo of somebody else is refused', async () => {
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

    it('is spent by any attempt', async () => {
      const browser = new SignInBrowser(app);
      const address = await browser.comeBack('company');
      await new SignInBrowser(app).go(address);
      expect(parametersOf(await browser.go(address)).get('error')).toBe('LOGIN_STATE_INVALID');
    });

    it('is unknown, of another provider, sent twice, missing or too old', async () => {
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

    it('is answered with a code that was used', async () => {
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

    it('goes on at another instance', async () => {
      const other = await startInstance(app.environment).catch(() => null);
      // The file of SQLite belongs to one process.
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

  describe('by its beginning', () => {
    it.each([
      ['a foreign page', { return_to: 'https://evil.example/' }],
      ['a page that begins like an own one', { return_to: `${RETURN_PAGE}.evil.example` }],
      ['a query', { return_to: `${RETURN_PAGE}?x` }],
      ['a fragment', { return_to: '/console#x' }],
      ['two slashes', { return_to: '//evil.example' }],
      ['no challenge', { code_challenge: undefined }],
      ['a short challenge', { code_challenge: 'x'.repeat(42) }],
      ['a challenge of other characters', { code_challenge: '+'.repeat(43) }],
    ])('asks for %s', async (_what, query) => {
      const { challenge } = new SignInBrowser(app);
      const all = Object.entries({ code_challenge: challenge, ...query }).filter(([, value]) => value !== undefined);
      const text = new URLSearchParams(all as [string, string][]).toString();
      expectFailure(await call(`${app.url}/auth/oidc/company/start?${text}`), 400, 'VALIDATION_ERROR');
    });

    it('names a provider that is not there, or is switched off', async () => {
      expectFailure(await new SignInBrowser(app).start('nobody'), 404, 'IDENTITY_PROVIDER_NOT_FOUND');
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
      expectFailure(await new SignInBrowser(app).start('company'), 404, 'IDENTITY_PROVIDER_NOT_FOUND');
      expect(parametersOf(await browser.go(address)).get('error')).toBe('LOGIN_STATE_INVALID');
      await app.configure({ is_active: true });
    });

    it('is one of a thousand of an address at most', async () => {
      await new SignInBrowser(app).start('company');
      const database = app.app.get(Database);
      const [living] = await database.repository(SignInEntity).find({ order: { id: 'DESC' }, take: 1 });
      const { id: _id, ...row } = living!;
      const rows = Array.from({ length: 1_000 }, (_, index) => ({ ...row, tokenHash: `one of many ${index}` }));
      await database.write((manager) => manager.insert(SignInEntity, rows));
      expectFailure(await new SignInBrowser(app).start('company'), 429, 'RATE_LIMIT_EXCEEDED');
      app.advanceClock(601_000);
      expect((await new SignInBrowser(app).start('company')).status).toBe(302);
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

  it('leads to a plain page where there is no console', async () => {
    const other = await startTestApp({ CONSOLE_ENABLED: 'false' });
    const answer = await call(`${other.url}/auth/oidc/company/callback?state=x`);
    expect(answer).toMatchObject({
      status: 400,
      text: 'This sign-in is over, or was begun in another browser. Please begin again.\n',
    });
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    await other.close();
  });
});
