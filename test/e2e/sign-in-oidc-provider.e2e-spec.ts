import { Database } from '../../src/database/database';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { SessionEntity } from '../../src/modules/user/sessions/session.entity';
import { AdminClient } from '../support/admin-client';
import { call, expectFailure } from '../support/http';
import { type OidcServer, startOidcServer } from '../support/servers/oidc-server';
import { parametersOf, SignInBrowser } from '../support/sign-in-browser';
import { startTestApp, type TestApp } from '../support/test-app';

/** The claims in one of our access tokens. */
function claimsOf(token: string): { sid: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: number };
}

const CALLBACK = 'http://chat.example.com/api/v1/auth/oidc';

describe('signing in with oidc-provider, two tenants', () => {
  let app: TestApp;
  let admin: AdminClient;
  const tenants: OidcServer[] = [];

  beforeAll(async () => {
    for (const slug of ['first', 'second']) {
      tenants.push(await startOidcServer(`${CALLBACK}/${slug}/callback`));
    }
    app = await startTestApp({
      OIDC_ALLOWED_HOSTS: tenants.map(({ host }) => host).join(),
      PUBLIC_URL: 'http://chat.example.com',
    });
    admin = await AdminClient.of(app);
    for (const [index, slug] of ['first', 'second'].entries()) {
      const created = await admin.post('/admin/identity_providers', {
        slug,
        name: slug,
        issuer: tenants[index]?.issuer,
        client_id: 'chat',
        client_secret: 'a-secret-of-the-provider',
        jit: 'all',
      });
      expect(created.status).toBe(201);
    }
  });

  afterAll(async () => {
    await app.close();
    await Promise.all(tenants.map((tenant) => tenant.close()));
  });

  function tenant(index: number): OidcServer {
    return tenants[index] as OidcServer;
  }

  /** Follows the provider's own pages with its cookies, until it redirects the browser back to the service. */
  async function visit(address: string): Promise<string> {
    const cookies = new Map<string, string>();
    for (let url = address; ;) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await call(url, { headers: cookie === '' ? {} : { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) {
        throw new Error(`The provider answered ${answer.status}: ${answer.text}`);
      }
      url = new URL(location, url).href;
      if (url.startsWith('http://chat.example.com')) {
        return url;
      }
    }
  }

  async function comeBack(browser: SignInBrowser, slug: string): Promise<string> {
    const leaving = await browser.start(slug);
    return visit(leaving.headers.get('location') ?? '');
  }

  async function signIn(slug: string): Promise<UserDto & { token: string }> {
    const browser = new SignInBrowser(app);
    const code = parametersOf(await browser.go(await comeBack(browser, slug))).get('login_code') ?? '';
    const { status, body } = await browser.exchange(code);
    expect(status).toBe(200);
    const { body: user } = await call<UserDto>(`${app.url}/auth/me`, { token: body.access_token });
    return { ...user, token: body.access_token };
  }

  it('creates an account for each tenant’s user, though both have the same subject', async () => {
    await tenant(0).setPerson({ sub: 'ada', email: 'ada@first.example', email_verified: true });
    await tenant(1).setPerson({ sub: 'ada', email: 'ada@second.example', email_verified: true });
    const [first, second] = [await signIn('first'), await signIn('second')];
    expect([first.email, second.email]).toEqual(['ada@first.example', 'ada@second.example']);
    expect(await signIn('first')).toMatchObject({ id: first.id });
    expect(await signIn('second')).toMatchObject({ id: second.id });
  });

  it("does not accept the answer of one tenant as the other's", async () => {
    await tenant(0).setPerson({ sub: 'grace', email: 'grace@first.example', email_verified: true });
    const browser = new SignInBrowser(app);
    const address = (await comeBack(browser, 'first')).replace('/oidc/first/', '/oidc/second/');
    expect(parametersOf(await browser.go(address)).get('error')).toBe('LOGIN_STATE_INVALID');
    const other = new SignInBrowser(app);
    const wrongIssuer = new URL(await comeBack(other, 'first'));
    wrongIssuer.searchParams.set('iss', tenant(1).issuer);
    expect(parametersOf(await other.go(wrongIssuer.href)).get('error')).toBe('IDENTITY_PROVIDER_ERROR');
  });

  it('ends the session that the tenant’s logout token names', async () => {
    await tenant(0).setPerson({ sub: 'joan', email: 'joan@first.example', email_verified: true });
    const { token } = await signIn('first');
    const session = await app.app.get(Database).manager.findOneByOrFail(SessionEntity, { id: claimsOf(token).sid });
    expect(session.providerSession).toMatch(/./);
    const uri = `${app.url}/auth/oidc/first/backchannel_logout`;
    await tenant(0).endSession('joan', session.providerSession ?? '', uri);
    expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');
  });
});
