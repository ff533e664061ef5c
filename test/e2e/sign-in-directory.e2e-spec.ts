import type { GroupMemberDto } from '../../src/modules/group/administration/group.dto';
import type { IdentityDto } from '../../src/modules/identity/identities/identity.dto';
import type { UserDto } from '../../src/modules/user/account/user.dto';
import { createUser, newcomer, type TestAccount } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { expectScimFailure, ScimClient, type ScimPerson, USER } from '../support/scim-client';
import { PROVIDER_SETTINGS, type SignInApp, startSignInApp } from '../support/sign-in-app';
import { SignInBrowser } from '../support/sign-in-browser';
import { codeFromMail } from '../support/sign-in-client';

describe('a provider with sign-in and a directory', () => {
  let app: SignInApp;
  let scim: ScimClient;

  beforeAll(async () => {
    app = await startSignInApp();
    scim = await ScimClient.ofProvider(app, app.admin, app.provider);
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    app.issuer.reset();
    await app.configure(PROVIDER_SETTINGS);
  });

  /** As an administrator sees the account. */
  async function viewOf(id: number | string): Promise<Record<string, unknown>> {
    return (await app.admin.get<Record<string, unknown>>(`/admin/users/${id}`)).body.data;
  }

  /** A user whom the directory creates, with the same subject at the provider. */
  async function person(): Promise<ScimPerson> {
    const { sub, email } = app.newPerson();
    return scim.person({ externalId: sub, userName: email, emails: [{ value: email, type: 'work', primary: true }] });
  }

  /** The user at the browser signs in with these groups; undefined: with those in the earlier token. */
  async function signInWith(groups?: string[]): Promise<UserDto> {
    app.issuer.person = { ...app.issuer.person, ...(groups && { groups }) };
    return (await app.signIn()).user;
  }

  const addTo = (group: string, id: string) =>
    scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] });
  const takeFrom = (group: string, id: string) =>
    scim.patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${id}"]` });

  it('finds users from a sign-in by the address, and none by letters that fold to it', async () => {
    const name = `k${newcomer().username}`;
    app.newPerson({ email: `${name}@example.com` });
    const { id } = await signInWith();
    const found = async (asked: string) =>
      (await scim.list('/Users', `userName eq "${asked}"`)).body.Resources.map((one) => one.id);
    expect(await found(`${name.toUpperCase()}@example.com `)).toEqual([String(id)]);
    // The sign for Kelvin.
    expect(await found(`\u212a${name.slice(1)}@example.com`)).toEqual([]);
  });

  it('assigns no account of another user with the same external id', async () => {
    await app.configure({ scim_match: 'employee' });
    const employee = newcomer().username;
    app.newPerson({ employee });
    const { id } = await signInWith();
    app.newPerson({ employee });
    expect((await signInWith()).id).not.toBe(id);
  });

  describe('grants by the groups of both', () => {
    let value: string;
    let group: string;

    /** Both the directory and the tokens know a group with this name. */
    beforeEach(async () => {
      value = newcomer().username;
      await app.configure({ mappings: [{ value, membership_type: 'yearly', user_type: 'admin' }] });
      group = (await scim.group({ displayName: value })).id;
    });

    const onlyMembership = () => app.configure({ mappings: [{ value, membership_type: 'yearly' }] });

    it('keeps a directory grant at a sign-in without groups, and revokes it with the membership', async () => {
      const { id } = await person();
      await addTo(group, id);
      expect(await viewOf(id)).toMatchObject({ mapped_membership_type: 'yearly', user_type: 'normal' });
      expect(await signInWith()).toMatchObject({ id: Number(id), membership_type: 'yearly', user_type: 'normal' });
      expect(await signInWith([])).toMatchObject({ membership_type: 'yearly', membership_expires_at: null });
      expect(await viewOf(id)).toMatchObject({ mapped_membership_type: 'yearly', mapped_user_type: null });
      await takeFrom(group, id);
      expect(await viewOf(id)).toMatchObject({ membership_type: 'free', mapped_membership_type: null });
      expect(await signInWith()).toMatchObject({ membership_type: 'free' });
    });

    it('keeps a sign-in grant when the directory revokes its own, and revokes it with the next sign-in', async () => {
      await onlyMembership();
      const { id } = await person();
      expect(await signInWith([value])).toMatchObject({ membership_type: 'yearly' });
      await addTo(group, id);
      await takeFrom(group, id);
      expect(await viewOf(id)).toMatchObject({ membership_type: 'yearly', mapped_membership_type: 'yearly' });
      expect(await signInWith([])).toMatchObject({ membership_type: 'free' });
    });

    it('creates administrators by the tokens only', async () => {
      const { id } = await person();
      await addTo(group, id);
      expect(await signInWith([])).toMatchObject({ user_type: 'normal' });
      expect(await signInWith([value])).toMatchObject({ user_type: 'admin', membership_type: 'yearly' });
      // A former administrator gets nothing from a directory.
      expect(await signInWith([])).toMatchObject({ user_type: 'normal', membership_type: 'free' });
      await takeFrom(group, id);
      await addTo(group, id);
      expect(await signInWith([])).toMatchObject({ membership_type: 'free' });
      // A directory does not create one either from a token claim that predates the mapping.
      await onlyMembership();
      const other = await person();
      await signInWith([value]);
      await app.configure({ mappings: [{ value, membership_type: 'yearly', user_type: 'admin' }] });
      await addTo(group, other.id);
      expect(await viewOf(other.id)).toMatchObject({ mapped_membership_type: 'yearly', user_type: 'normal' });
    });

    it('adds users to groups by either', async () => {
      const made = await app.admin.post<{ id: number }>('/admin/groups', { name: newcomer().username });
      const { id: given } = made.body.data;
      await app.configure({ mappings: [{ value, group: given }] });
      const members = () => app.admin.items<GroupMemberDto>(`/admin/groups/${given}/members`);
      const { id } = await person();
      await addTo(group, id);
      await signInWith([]);
      expect(await members()).toMatchObject([{ user_id: Number(id), source: 'provider' }]);
      await signInWith([value]);
      await takeFrom(group, id);
      expect(await members()).toMatchObject([{ user_id: Number(id), source: 'provider' }]);
      await signInWith([]);
      expect(await members()).toEqual([]);
    });

    it('keeps the last groups from the tokens, and none from the directory, if the provider omitted them', async () => {
      await app.configure({ groups_overage: 'keep_last' });
      const { id } = await person();
      await addTo(group, id);
      app.issuer.person = { ...app.issuer.person, groups: undefined, _claim_names: { groups: 'src1' } };
      expectFailure(await new SignInBrowser(app).signIn('company'), 403, 'GROUPS_UNAVAILABLE');
      app.issuer.person = { ...app.issuer.person, _claim_names: undefined };
      await signInWith(['others']);
      app.issuer.person = { ...app.issuer.person, groups: undefined, _claim_names: { groups: 'src1' } };
      expect(await signInWith()).toMatchObject({ user_type: 'normal', membership_type: 'yearly' });
      await takeFrom(group, id);
      expect(await viewOf(id)).toMatchObject({ membership_type: 'free' });
    });

    it("revokes the directory's grants from all identities of a user there", async () => {
      await onlyMembership();
      const { id, userName } = await person();
      await addTo(group, id);
      await signInWith();
      await linkAnother(userName);
      expect(await signInWith()).toMatchObject({ id: Number(id), membership_type: 'yearly' });
      await takeFrom(group, id);
      expect(await viewOf(id)).toMatchObject({ membership_type: 'free' });
    });

    it('revokes all of them when the identity is unlinked, and grants them again when it is linked', async () => {
      await onlyMembership();
      await app.configure({ email_trusted: true });
      const account = await createUser(app);
      const { sub, email } = app.newPerson({ email: account.email });
      const emails = [{ value: email, primary: true }];
      const { id } = await scim.person({ externalId: sub, userName: email, emails });
      expect(id).toBe(String(account.user.id));
      await addTo(group, id);
      expect(await signInWith([value])).toMatchObject({ membership_type: 'yearly' });
      await unlinkAll(account);
      expect(await viewOf(id)).toMatchObject({ membership_type: 'free' });
      await linkByCode(account.email);
      expect(await viewOf(id)).toMatchObject({ membership_type: 'yearly' });
    });

    it("revokes a closed account's grants with its membership", async () => {
      await onlyMembership();
      const { id } = await person();
      await addTo(group, id);
      expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
      expect((await scim.delete(`/Groups/${group}`)).status).toBe(204);
      expect(await app.admin.post(`/admin/users/${id}/restore`, {})).toMatchObject({ status: 200 });
      expect(await viewOf(id)).toMatchObject({ membership_type: 'free', mapped_membership_type: null });
    });
  });

  describe('takes an account over by its address', () => {
    it('by a code only after its user has unlinked one of its identities, at a sign-in and for the directory', async () => {
      await app.configure({ email_trusted: true });
      const account = await createUser(app);
      app.newPerson({ email: account.email });
      await app.signIn();
      await unlinkAll(account);
      const { sub, email } = app.newPerson({ email: account.email });
      expectFailure(await new SignInBrowser(app).signIn('company'), 409, 'IDENTITY_LINK_REQUIRED');
      const body = { schemas: [USER], userName: email, externalId: sub };
      expectScimFailure(await scim.post('/Users', body), 409, 'uniqueness');
      expectFailure(await new SignInBrowser(app).signIn('company'), 409, 'IDENTITY_LINK_REQUIRED');
      expect(await identitiesOf(account)).toEqual([]);
    });

    it('by no code sent before the directory assigned the address to another user', async () => {
      const { id, userName: email } = await person();
      app.newPerson({ email, email_verified: false });
      const browser = new SignInBrowser(app);
      const link = await askForCode(browser, email);
      await scim.patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: `former.${email}` }] });
      const { id: next } = await scim.person({ userName: `next.${email}`, emails: [{ value: email, primary: true }] });
      expectFailure(await browser.post('/auth/oidc/link', link), 400, 'INVALID_CODE');
      expect(await viewOf(next)).toMatchObject({ email });
    });
  });

  async function identitiesOf({ token }: Pick<TestAccount, 'token'>): Promise<IdentityDto[]> {
    return (await call<IdentityDto[]>(`${app.url}/user/identities`, { token })).body;
  }

  async function unlinkAll(account: TestAccount): Promise<void> {
    for (const { id } of await identitiesOf(account)) {
      const path = `${app.url}/user/identities/${id}`;
      expect((await call(path, { method: 'DELETE', token: account.token })).status).toBe(200);
    }
  }

  /** Another identity with the same address signs in, and is linked. */
  async function linkAnother(email: string): Promise<void> {
    app.newPerson({ email, groups: [] });
    await linkByCode(email);
  }

  /** The user at the browser signs in, and proves the address. */
  async function linkByCode(email: string): Promise<void> {
    const browser = new SignInBrowser(app);
    const link = await askForCode(browser, email);
    expect(await browser.post('/auth/oidc/link', link)).toMatchObject({ status: 200 });
  }

  /** The user at the browser signs in, and is sent a code; returns a function that links the identity. */
  async function askForCode(browser: SignInBrowser, email: string): Promise<object> {
    const refused = expectFailure(await browser.signIn('company'), 409, 'IDENTITY_LINK_REQUIRED');
    const { link_token } = refused.details;
    await browser.post('/auth/send_code', { purpose: 'link_identity', link_token });
    return { link_token, verification_code: await codeFromMail(app, email), code_verifier: browser.verifier };
  }
});
