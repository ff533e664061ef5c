import { randomUUID } from 'node:crypto';
import type { IdentityProviderDto } from '../../src/modules/identity/administration/provider.dto';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { AdminClient } from '../support/admin-client';
import { call, expectFailure } from '../support/http';
import { FakeIssuer } from '../support/servers/fake-issuer';
import { type SignedIn, SignInBrowser } from '../support/sign-in-browser';
import { startTestApp, type TestApp } from '../support/test-app';

describe('signing in with a provider', () => {
  let issuer: FakeIssuer;
  let app: TestApp;
  let admin: AdminClient;
  let provider: IdentityProviderDto;

  beforeAll(async () => {
    issuer = await FakeIssuer.start();
    app = await startTestApp({
      OIDC_ALLOWED_HOSTS: issuer.host,
      OIDC_RETURN_URLS: 'https://app.example.com/signed-in',
      PUBLIC_URL: 'http://chat.example.com',
    });
    admin = await AdminClient.of(app);
    const created = await admin.post<IdentityProviderDto>('/admin/identity_providers', {
      slug: 'company',
      name: 'Example Inc.',
      issuer: issuer.issuer,
      client_id: 'chat',
      client_secret: 'a secret: with special characters'.replaceAll(' ', '-'),
      jit: 'all',
    });
    expect(created).toMatchObject({ status: 201 });
    provider = created.body.data;
  });

  afterAll(async () => {
    await app.close();
    await issuer.close();
  });

  beforeEach(() => {
    issuer.reset();
    issuer.person = person();
  });

  function person(more: Record<string, unknown> = {}): Record<string, unknown> {
    const sub = randomUUID();
    return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ada Lovelace', ...more };
  }

  function me({ access_token: token }: SignedIn): Promise<UserDto> {
    return call<UserDto>(`${app.url}/auth/me`, { token }).then(({ body }) => body);
  }

  it('creates an account at the first sign-in, and finds it at the next', async () => {
    const first = await new SignInBrowser(app).signIn('company');
    expect(first).toMatchObject({ status: 200, body: { token_type: 'bearer' } });
    const user = await me(first.body);
    expect(user).toMatchObject({ email: issuer.person.email, user_type: 'normal' });
    issuer.person = { ...issuer.person, email: 'another@example.com' };
    const second = await new SignInBrowser(app).signIn('company');
    expect(await me(second.body)).toMatchObject({ id: user.id, email: user.email });
  });

  it('distinguishes subjects to the last byte', async () => {
    const sub = randomUUID();
    const ids: number[] = [];
    for (const subject of [sub, `${sub} `, sub.toUpperCase()]) {
      issuer.person = person({ sub: subject });
      ids.push((await me((await new SignInBrowser(app).signIn('company')).body)).id);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it('is offered to pages', async () => {
    expect(await call(`${app.url}/auth/providers`)).toMatchObject({
      status: 200,
      body: { password_login: 'everyone', providers: [{ slug: 'company', name: 'Example Inc.' }] },
    });
  });

  it('redirects the browser to the provider with PKCE, and the service authenticates itself', async () => {
    const browser = new SignInBrowser(app);
    const leaving = await browser.start('company');
    const asked = new URL(leaving.headers.get('location') ?? '');
    expect(asked.origin).toBe(issuer.issuer);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'chat',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: provider.redirect_uri,
    });
    expect(provider.redirect_uri).toBe('http://chat.example.com/api/v1/auth/oidc/company/callback');
    await browser.signIn('company');
    expect(issuer.tokenRequests[0]?.authorization).toMatch(/^Basic /);
  });

  it("refuses a used login code, and another page's verifier", async () => {
    const browser = new SignInBrowser(app);
    const code = (await browser.returnFrom('company')).get('login_code') ?? '';
    expect(await browser.exchange(code)).toMatchObject({ status: 200 });
    expectFailure(await browser.exchange(code), 401, 'LOGIN_CODE_INVALID');
    const other = (await browser.returnFrom('company')).get('login_code') ?? '';
    expectFailure(await browser.exchange(other, 'x'.repeat(43)), 401, 'LOGIN_CODE_INVALID');
    expectFailure(await browser.exchange(other), 401, 'LOGIN_CODE_INVALID');
  });

  it('creates one account for twenty concurrent first sign-ins', async () => {
    const browsers = Array.from({ length: 20 }, () => new SignInBrowser(app));
    const codes: string[] = [];
    for (const browser of browsers) {
      codes.push((await browser.returnFrom('company')).get('login_code') ?? '');
    }
    const answers = await Promise.all(browsers.map((browser, index) => browser.exchange(codes[index] ?? '')));
    expect(answers.map(({ status }) => status)).toEqual(browsers.map(() => 200));
    const users = await Promise.all(answers.map(({ body }) => me(body)));
    expect(new Set(users.map(({ id }) => id)).size).toBe(1);
  });
});
