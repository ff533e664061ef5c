// @databases mariadb: locks and deadlocks
import { Database } from '../../src/database/database';
import { IdentityEntity } from '../../src/modules/identity/identities/identity.entity';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { FakeIssuer } from '../support/servers/fake-issuer';
import { type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';

describe('a user with identities from two providers', () => {
  let app: SignInApp;
  let other: FakeIssuer;
  let account: TestAccount;
  let group: number;

  beforeAll(async () => {
    other = await FakeIssuer.start();
    app = await startSignInApp({ OIDC_ALLOWED_HOSTS: '127.0.0.1' });
    group = (await app.admin.post<{ id: number }>('/admin/groups', { name: newcomer().username })).body.data.id;
    await app.configure({ mappings: [{ value: 'chiefs', user_type: 'admin', group }] });
    const mappings = [{ value: 'staff', membership_type: 'monthly' }];
    const provider = { slug: 'other', name: 'Other Inc.', issuer: other.issuer, client_id: 'chat', mappings };
    expect((await app.admin.post('/admin/identity_providers', provider)).status).toBe(201);
    account = await createUser(app);
    other.person = { ...app.newPerson({ sid: 'of the company' }), groups: ['staff'] };
    for (const slug of ['company', 'other']) {
      const browser = new SignInBrowser(app);
      const body = { slug, code_challenge: browser.challenge };
      const started = await browser.post<{ authorization_url: string }>('/user/identities/start', body, account.token);
      const back = await browser.answerOf(started.body.authorization_url);
      const code = new URL((await browser.go(back)).headers.get('location') ?? '', app.origin).searchParams;
      expect((await browser.exchange(code.get('login_code') ?? '')).status).toBe(200);
    }
  });

  afterAll(async () => {
    await app.close();
    await other.close();
  });

  /** Signs in with both concurrently, each with these groups. */
  async function signIn(company: string[], others: string[]): Promise<void> {
    app.issuer.person = { ...app.issuer.person, groups: company };
    other.person = { ...other.person, groups: others };
    const browsers = ['company', 'other'].map((slug) => ({ slug, browser: new SignInBrowser(app) }));
    const codes = await Promise.all(browsers.map(({ slug, browser }) => browser.returnFrom(slug)));
    const answers = await Promise.all(
      browsers.map(({ browser }, index) => browser.exchange(codes[index]?.get('login_code') ?? '')),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }

  it('has the rights from both, starting with the link, even if both report them concurrently', async () => {
    expect(await app.me(account.token)).toMatchObject({ user_type: 'normal', membership_type: 'monthly' });
    for (let round = 0; round < 3; round++) {
      await signIn(['chiefs'], []);
      expect(await app.me(account.token)).toMatchObject({ user_type: 'admin', membership_type: 'free' });
      expect(await app.admin.items(`/admin/groups/${group}/members`)).toHaveLength(1);
      await signIn([], ['staff']);
      expect(await app.me(account.token)).toMatchObject({ user_type: 'normal', membership_type: 'monthly' });
      expect(await app.admin.items(`/admin/groups/${group}/members`)).toHaveLength(0);
    }
  });

  it('has a day, as an administrator by one of them, even if the other signs in the user', async () => {
    await signIn(['chiefs'], []);
    const last = await new SignInBrowser(app).signIn('other');
    expect(last.body.refresh_expires_in).toBeCloseTo(86_400, -2);
    await signIn([], []);
    expect((await new SignInBrowser(app).signIn('other')).body.refresh_expires_in).toBeCloseTo(604_800, -2);
  });

  it('is not signed out of one by the other', async () => {
    app.issuer.person = { ...app.issuer.person, groups: [] };
    const { token } = await app.signIn();
    const iat = Math.floor(Date.now() / 1_000);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const { sub, sid } = app.issuer.person;
    for (const [jti, names] of Object.entries({ subject: { sub }, session: { sid } })) {
      const claims = { iss: other.issuer, aud: 'chat', iat, exp: iat + 120, jti, events, ...names };
      const body = { logout_token: other.sign(claims) };
      expect((await call(`${app.url}/auth/oidc/other/backchannel_logout`, { body })).status).toBe(200);
      expect((await call(`${app.url}/auth/me`, { token })).status).toBe(200);
    }
  });

  it('has none from a provider that is removed during sign-ins with it', async () => {
    const { body } = await app.admin.get<{ items: { id: number; slug: string }[] }>('/admin/identity_providers');
    const id = body.data.items.find(({ slug }) => slug === 'other')?.id ?? 0;
    await app.admin.put(`/admin/identity_providers/${id}`, { jit: 'all' });
    const arrived = [];
    for (let person = 0; person < 8; person++) {
      other.person = app.newPerson();
      const browser = new SignInBrowser(app);
      arrived.push({ browser, code: (await browser.returnFrom('other')).get('login_code') ?? '' });
    }
    const entering = arrived.map(({ browser, code }) => browser.exchange(code));
    // Some have signed in, and the others are about to.
    await Promise.race(entering);
    const removed = app.admin.delete(`/admin/identity_providers/${id}?force=true`);
    const answers = await Promise.all(entering);
    expect((await removed).status).toBe(200);
    expect(answers.map(({ status }) => status)).toContain(200);
    for (const {
      status,
      body: { access_token: token },
    } of answers) {
      expect([200, 401]).toContain(status);
      if (status === 200) expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');
    }
    const left = await app.app.get(Database).repository(IdentityEntity).countBy({ providerId: id });
    expect(left).toBe(0);
  });
});
