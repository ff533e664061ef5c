import type { UserDto } from '../../src/modules/user/account/user.dto';
import { createUser } from '../support/accounts';
import { type Answer, call, type ErrorAnswer, expectFailure } from '../support/http';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { type SignedIn, SignInBrowser } from '../support/sign-in-browser';

describe("the rights from a provider's groups", () => {
  let app: SignInApp;

  beforeAll(async () => {
    app = await startSignInApp();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    app.issuer.reset();
    await app.configure(PROVIDER_SETTINGS);
  });

  /** The user at the browser signs in with other groups. */
  async function signInWith(...groups: string[]): Promise<UserDto> {
    app.issuer.person = { ...app.issuer.person, groups };
    return (await app.signIn()).user;
  }

  const STAFF = { value: 'staff', membership_type: 'monthly' };
  const CHIEFS = { value: 'chiefs', user_type: 'admin', membership_type: 'yearly' };

  it('follow the groups, with the highest membership, without an end', async () => {
    await app.configure({ mappings: [STAFF, CHIEFS] });
    app.newPerson();
    expect(await signInWith()).toMatchObject({ user_type: 'normal', membership_type: 'free' });
    expect(await signInWith('staff')).toMatchObject({ membership_type: 'monthly', membership_expires_at: null });
    expect(await signInWith('staff', 'chiefs')).toMatchObject({ user_type: 'admin', membership_type: 'yearly' });
    expect(await signInWith('staff')).toMatchObject({ user_type: 'normal', membership_type: 'monthly' });
    expect(await signInWith('STAFF')).toMatchObject({ membership_type: 'free', membership_expires_at: null });
  });

  it("do not affect an administrator's grants", async () => {
    await app.configure({ mappings: [STAFF, CHIEFS] });
    app.newPerson();
    const { id } = await signInWith('staff');
    const end = '2099-01-31T12:00:00.000Z';
    await app.admin.put(`/admin/users/${id}`, { membership_type: 'yearly', membership_expires_at: null });
    expect(await signInWith('others')).toMatchObject({ membership_type: 'yearly', membership_expires_at: null });
    await app.admin.put(`/admin/users/${id}`, { membership_type: 'monthly', membership_expires_at: end });
    expect(await signInWith('others')).toMatchObject({ membership_type: 'monthly', membership_expires_at: end });
    await app.admin.put(`/admin/users/${id}`, { membership_type: 'yearly', membership_expires_at: end });
    expect(await signInWith('staff')).toMatchObject({ membership_type: 'yearly', membership_expires_at: end });
    expect(await signInWith('chiefs')).toMatchObject({ membership_type: 'yearly', membership_expires_at: null });
    expect((await app.admin.get(`/admin/users/${id}`)).body.data).toMatchObject({
      mapped_user_type: 'admin',
      mapped_membership_type: 'yearly',
    });
    expect(await signInWith()).toMatchObject({ membership_type: 'yearly', membership_expires_at: end });
    await app.admin.put(`/admin/users/${id}`, { user_type: 'admin' });
    await signInWith('chiefs');
    expect(await signInWith()).toMatchObject({ user_type: 'admin' });
    // Removing the right also removes the account's own one.
    await signInWith('chiefs');
    await app.admin.put(`/admin/users/${id}`, { user_type: 'normal' });
    expect(await signInWith()).toMatchObject({ user_type: 'normal' });
  });

  it('add users to groups, and remove them again', async () => {
    const { body } = await app.admin.post<{ id: number }>('/admin/groups', { name: `Staff ${Date.now()}` });
    const group = body.data.id;
    await app.configure({ mappings: [{ value: 'staff', group }] });
    app.newPerson();
    const { id } = await signInWith('staff');
    const members = (): Promise<{ user_id: number; source: string }[]> =>
      app.admin.items(`/admin/groups/${group}/members`);
    expect(await members()).toEqual([expect.objectContaining({ user_id: id })]);
    await signInWith();
    expect(await members()).toEqual([]);
  });

  it('do not demote the last administrator', async () => {
    await app.configure({ mappings: [CHIEFS] });
    app.newPerson();
    const { id } = await signInWith('chiefs');
    const others = await app.admin.items<{ id: number }>('/admin/users?user_type=admin&size=100');
    const { token } = await app.signIn();
    for (const other of others.filter((user) => user.id !== id)) {
      const path = `${app.url}/admin/users/${other.id}`;
      expect((await call(path, { method: 'PUT', token, body: { user_type: 'normal' } })).status).toBe(200);
    }
    expect(await signInWith()).toMatchObject({ user_type: 'admin' });
    const again = `${app.url}/admin/users/${app.admin.id}`;
    expect((await call(again, { method: 'PUT', token, body: { user_type: 'admin' } })).status).toBe(200);
    expect(await signInWith()).toMatchObject({ user_type: 'normal' });
  });

  it('are revoked when the identity is unlinked', async () => {
    await app.configure({ mappings: [STAFF], email_trusted: true });
    const account = await createUser(app);
    app.newPerson({ email: account.email });
    expect(await signInWith('staff')).toMatchObject({ id: account.user.id, membership_type: 'monthly' });
    const { body } = await call<{ id: number }[]>(`${app.url}/user/identities`, { token: account.token });
    await call(`${app.url}/user/identities/${body[0]?.id}`, { method: 'DELETE', token: account.token });
    expect(await app.me(account.token)).toMatchObject({ membership_type: 'free' });
  });

  it('admit members of a required group, and end the sessions of former members', async () => {
    await app.configure({ required_groups: ['staff', 'guests'] });
    app.newPerson({ groups: ['others'] });
    const refused = await new SignInBrowser(app).signIn<ErrorAnswer>('company');
    expect(expectFailure(refused, 403, 'IDENTITY_NOT_ALLOWED').details).toEqual({ reason: 'group' });
    app.newPerson({ groups: 'guests' });
    const { token } = await app.signIn();
    app.issuer.person = { ...app.issuer.person, groups: [] };
    expectFailure(await new SignInBrowser(app).signIn('company'), 403, 'IDENTITY_NOT_ALLOWED');
    expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');
  });

  it('link nothing for a user who is banned, or has lost a required group, since the linking started', async () => {
    const account = await createUser(app);
    app.newPerson({ groups: ['others'] });
    const [first, second] = [await beginLinking(account), await beginLinking(account)];
    await app.configure({ required_groups: ['staff'] });
    expectFailure(await first(), 403, 'IDENTITY_NOT_ALLOWED');
    await app.configure({ required_groups: [] });
    expectFailure(await first(), 401, 'LOGIN_CODE_INVALID');
    await app.admin.post(`/admin/users/${account.user.id}/ban`, { reason: 'A test.' });
    expectFailure(await second(), 403, 'ACCOUNT_BANNED');
    await app.admin.post(`/admin/users/${account.user.id}/unban`, {});
    expect((await app.signIn()).user.id).not.toBe(account.user.id);
  });

  /** Returns from the provider to link an identity; returns a function that exchanges the code. */
  async function beginLinking({ token }: { token: string }): Promise<() => Promise<Answer>> {
    const browser = new SignInBrowser(app);
    const body = { slug: 'company', return_to: '/console', code_challenge: browser.challenge };
    const started = await browser.post<{ authorization_url: string }>('/user/identities/start', body, token);
    const arrived = await browser.go(await browser.answerOf(started.body.authorization_url));
    const code = new URL(arrived.headers.get('location') ?? '', app.origin).searchParams.get('login_code');
    return () => browser.exchange(code ?? '');
  }

  describe('when there are too many', () => {
    const LEFT_OUT = { groups: undefined, _claim_names: { groups: 'src1' } };

    it('refuse the login, and revoke nothing', async () => {
      await app.configure({ mappings: [STAFF] });
      app.newPerson();
      await signInWith('staff');
      const { token } = await app.signIn();
      const { person } = app.issuer;
      for (const sign of [LEFT_OUT, { groups: undefined, hasgroups: true }, { groups: undefined, hasgroups: 'true' }]) {
        app.issuer.person = { ...person, ...sign };
        expectFailure(await new SignInBrowser(app).signIn('company'), 403, 'GROUPS_UNAVAILABLE');
      }
      await app.configure({ mappings: [], required_groups: ['staff'] });
      expectFailure(await new SignInBrowser(app).signIn('company'), 403, 'GROUPS_UNAVAILABLE');
      expect(await app.me(token)).toMatchObject({ membership_type: 'monthly' });
      app.issuer.person = { ...person, hasgroups: true };
      await app.signIn();
    });

    it('keep the last ones if the provider’s rule requires it', async () => {
      await app.configure({ mappings: [STAFF], groups_overage: 'keep_last' });
      app.newPerson(LEFT_OUT);
      expectFailure(await new SignInBrowser(app).signIn('company'), 403, 'GROUPS_UNAVAILABLE');
      app.newPerson();
      await signInWith('staff');
      app.issuer.person = { ...app.issuer.person, ...LEFT_OUT };
      expect((await app.signIn()).user).toMatchObject({ membership_type: 'monthly' });
    });

    it('admit all users if groups are not used', async () => {
      app.newPerson(LEFT_OUT);
      expect((await app.signIn()).user).toMatchObject({ user_type: 'normal' });
    });
  });

  it.each([
    ['realm_access.roles', { realm_access: { roles: ['staff'] } }],
    ['https://example.com/groups', { 'https://example.com/groups': ['staff'] }],
    ['a.b', { 'a.b': ['staff'], a: { b: ['others'] } }],
  ])('read the claim %s', async (path, claims) => {
    await app.configure({ mappings: [STAFF], claims: { groups: path } });
    app.newPerson(claims);
    expect((await app.signIn()).user).toMatchObject({ membership_type: 'monthly' });
    await app.configure({ claims: { groups: 'groups' } });
  });

  it('read the claims of userinfo if the provider’s rule requires it', async () => {
    await app.configure({ mappings: [STAFF], claim_source: 'userinfo' });
    const { sub, email } = app.newPerson({ groups: ['others'] });
    app.issuer.userinfo = { sub, email, email_verified: true, groups: ['staff'] };
    expect((await app.signIn()).user).toMatchObject({ membership_type: 'monthly' });
  });

  describe('a session', () => {
    async function lifeOf(): Promise<number> {
      return (await new SignInBrowser(app).signIn<SignedIn>('company')).body.refresh_expires_in;
    }

    it('lasts a week, and that of a mapped administrator a day', async () => {
      await app.configure({ mappings: [CHIEFS] });
      app.newPerson();
      expect(await lifeOf()).toBeCloseTo(604_800, -2);
      app.issuer.person = { ...app.issuer.person, groups: ['chiefs'] };
      expect(await lifeOf()).toBeCloseTo(86_400, -2);
      await app.configure({ session_max_age: 200_000 });
      expect(await lifeOf()).toBeCloseTo(86_400, -2);
    });

    it('ends on time, however often its tokens are exchanged', async () => {
      await app.configure({ session_max_age: 3_600 });
      app.newPerson();
      let { refreshToken } = await app.signIn();
      try {
        for (const left of [2_400, 1_200]) {
          app.advanceClock(1_200_000);
          const { status, body } = await call<SignedIn>(`${app.url}/auth/refresh_token`, {
            body: { refresh_token: refreshToken },
          });
          expect(status).toBe(200);
          expect(body.refresh_expires_in).toBeLessThan(left);
          expect(body.refresh_expires_in).toBeGreaterThan(left - 30);
          expect(body.expires_in).toBe(body.refresh_expires_in);
          refreshToken = body.refresh_token;
        }
        app.advanceClock(1_200_000);
        const over = await call(`${app.url}/auth/refresh_token`, { body: { refresh_token: refreshToken } });
        expectFailure(over, 401, 'REFRESH_TOKEN_INVALID');
      } finally {
        app.resetClock();
      }
    });
  });
});
