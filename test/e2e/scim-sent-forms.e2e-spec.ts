import { Database } from '../../src/database/database';
import { insertBatch } from '../../src/database/statements/insert';
import { GroupMemberEntity } from '../../src/modules/group/groups/group-member.entity';
import { IdentityStore } from '../../src/modules/identity/identities/identity.store';
import { newcomer } from '../support/accounts';
import { expectScimFailure, GROUP, type ScimBody, ScimClient, USER } from '../support/scim-client';
import { made, useAdmin, useTestApp } from '../support/use-app';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CUSTOM = 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User';

describe("a directory's request", () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const scim = made(beforeAll, () => ScimClient.of(app, admin));
  const idsOf = (group: ScimBody) => ((group.members ?? []) as { value: string }[]).map(({ value }) => value);

  describe('sent concurrently', () => {
    it('adds all users to a group', async () => {
      const people: string[] = [];
      for (let count = 0; count < 6; count++) people.push((await scim.person()).id);
      const { id } = await scim.group();
      const add = (value: string) => scim.patch(`/Groups/${id}`, { op: 'Add', path: 'members', value: [{ value }] });
      const answers = await Promise.all(people.map(add));
      expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
      expect(idsOf((await scim.get(`/Groups/${id}`)).body).sort()).toEqual([...people].sort());
    });

    it('changes a user who is leaving, and does not reactivate the user', async () => {
      const { id } = await scim.person({ displayName: 'Ada', title: 'Guide' });
      const replace = (path: string, value: unknown) => scim.patch(`/Users/${id}`, { op: 'replace', path, value });
      const answers = await Promise.all([
        replace('active', false),
        replace('title', 'Head of guides'),
        replace('displayName', 'Ada King'),
        replace('nickName', 'Countess'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const expected = { active: false, title: 'Head of guides', displayName: 'Ada King', nickName: 'Countess' };
      expect((await scim.get(`/Users/${id}`)).body).toMatchObject(expected);
    });

    it('assigns an external id to one user, even if two requests want it', async () => {
      const [person, other] = [await scim.person(), await scim.person()];
      const wish = { op: 'replace', path: 'externalId', value: other.externalId };
      const take = () => scim.patch(`/Users/${person.id}`, wish);
      expectScimFailure(await take(), 409, 'uniqueness');
      jest.spyOn(app.app.get(IdentityStore), 'byExternalId').mockResolvedValueOnce(null);
      expectScimFailure(await take(), 409, 'uniqueness');
    });
  });

  it.each([
    { op: 'remove', path: 'externalId' },
    { op: 'Remove', path: 'urn:ietf:params:scim:schemas:core:2.0:User:externalId' },
    { op: 'replace', value: { externalId: null } },
  ])('removes an external id: %j', async (operation) => {
    const { id, externalId } = await scim.person();
    expect((await scim.patch(`/Users/${id}`, operation)).body).not.toHaveProperty('externalId');
    expect((await scim.get(`/Users/${id}`)).body).not.toHaveProperty('externalId');
    expect((await scim.list('/Users', `externalId eq "${externalId}"`)).body.totalResults).toBe(0);
    const changed = await scim.patch(`/Users/${id}`, { op: 'add', path: 'externalId', value: externalId });
    expect(changed.body).toMatchObject({ externalId });
    const named = newcomer().username;
    const group = await scim.group({ externalId: named });
    const path = operation.path?.replace('User', 'Group');
    const patched = await scim.patch(`/Groups/${group.id}`, path ? { ...operation, path } : operation);
    expect(patched.body).not.toHaveProperty('externalId');
    expect((await scim.list('/Groups', `externalId eq "${named}"`)).body.totalResults).toBe(0);
  });

  it.each([
    ['a manager as text', { op: 'Add', path: `${ENTERPRISE}:manager`, value: '12' }],
    ['a manager as a list', { op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ $ref: null, value: '12' }] }],
    ['a part of a manager', { op: 'Replace', path: `${ENTERPRISE}:manager.value`, value: '12' }],
    ['roles as Entra does', { op: 'Add', path: 'roles[primary eq "True"].value', value: 'User' }],
    ['a kind of messenger', { op: 'Add', path: 'ims[type eq "messenger"].value', value: 'ada' }],
    ['an extension of the company', { op: 'Add', path: `${CUSTOM}:tag`, value: 'x' }],
    ['an extension as a whole', { op: 'Replace', value: { [CUSTOM]: { tag: 'x' } } }],
  ])('may name an attribute that is not stored: %s', async (_what, operation) => {
    const { id } = await scim.person({ title: 'Guide' });
    expect(await scim.patch(`/Users/${id}`, operation)).toMatchObject({ status: 200, body: { title: 'Guide' } });
    const both = await scim.patch(`/Users/${id}`, operation, { op: 'Replace', path: 'title', value: 'Head' });
    expect(both).toMatchObject({ status: 200, body: { title: 'Head' } });
  });

  it('may name an attribute that is not stored when a user is created', async () => {
    const odd = { [ENTERPRISE]: { manager: '12' }, profileUrl: '', photos: [{ value: 'none' }], phoneNumbers: null };
    expect(await scim.person(odd)).toMatchObject({ active: true });
    expectScimFailure(await scim.post('/Users', { schemas: [USER], userName: '', ...odd }), 400, 'invalidValue');
  });

  it.each([
    [{ op: 'REPLACE', path: `${USER}:title`, value: 'Head' }, { title: 'Head' }],
    [{ op: 'replace', path: `${USER}:name.familyName`, value: 'King' }, { name: { familyName: 'King' } }],
    [{ op: 'replace', path: 'DisplayName', value: 'Ada' }, { displayName: 'Ada' }],
    [{ op: 'replace', path: 'Name.GivenName', value: 'Ada' }, { name: { givenName: 'Ada' } }],
    [{ op: 'Replace', path: 'Active', value: 'FALSE' }, { active: false }],
    [
      { op: 'Replace', value: { Active: 'False', [`${USER}:title`]: 'Head' } },
      { active: false, title: 'Head' },
    ],
  ])('has names in any case, with or without that of the schema (%#)', async (operation, expected) => {
    const { id } = await scim.person();
    expect(await scim.patch(`/Users/${id}`, operation)).toMatchObject({ status: 200, body: expected });
  });

  it.each([
    ['by its list', (list: object[]) => ({ op: 'replace', path: 'emails', value: list })],
    ['by its list, without a path', (list: object[]) => ({ op: 'replace', value: { emails: list } })],
    ['in addition to the former one', (list: object[]) => ({ op: 'add', path: 'emails', value: list })],
  ])('makes another address the primary one %s', async (_how, operation) => {
    const { id } = await scim.person();
    const { email: value } = newcomer();
    const changed = await scim.patch(`/Users/${id}`, operation([{ value, type: 'work', primary: true }]));
    expect(changed).toMatchObject({ status: 200, body: { emails: [{ value, primary: true }] } });
  });

  it.each([
    ['emails[primary eq "True"].value', (value: string) => ({ path: 'emails[primary eq "True"].value', value })],
    ['a member of the value', (value: string) => ({ value: { 'emails[type eq "work"].value': value } })],
  ])('finds an address by %s', async (_how, target) => {
    const { id } = await scim.person();
    const { email } = newcomer();
    const changed = await scim.patch(`/Users/${id}`, { op: 'Replace', ...target(email) });
    expect(changed).toMatchObject({ status: 200, body: { emails: [{ value: email }] } });
  });

  it('removes a user from a group who is not in the replaced member list', async () => {
    const [ada, bob] = [await scim.person(), await scim.person()];
    const { id } = await scim.group({ members: [{ value: ada.id }] });
    const path = `/Groups/${id}`;
    const replaced = await scim.patch(path, { op: 'replace', value: { members: [{ value: bob.id }] } });
    expect(idsOf(replaced.body)).toEqual([bob.id]);
    const added = await scim.patch(path, { op: 'add', path: `${GROUP}:Members`, value: [{ value: ada.id }] });
    expect(idsOf(added.body).sort()).toEqual([ada.id, bob.id].sort());
    expect(idsOf((await scim.patch(path, { op: 'replace', value: { members: [] } })).body)).toEqual([]);
    const empty = await scim.post('/Groups', { schemas: [GROUP], displayName: newcomer().username, members: null });
    expect(empty.status).toBe(201);
  });

  it('removes a thousand from a large group without delaying other requests', async () => {
    const { id } = await scim.group();
    const ids = Array.from({ length: 2_000 }, (_, index) => 100_000_000 + index);
    const source = { source: 'scim' as const, identityProviderId: scim.providerId, createdAt: new Date() };
    const rows = ids.map((userId) => ({ groupId: Number(id), userId, ...source }));
    await app.app.get(Database).write((manager) => insertBatch(manager, GroupMemberEntity, rows));
    const began = performance.now();
    const value = ids.slice(0, 1_000).map((userId) => ({ $ref: null, value: String(userId) }));
    const removed = await scim.patch(`/Groups/${id}`, { op: 'Remove', path: 'members', value });
    expect(removed.status).toBe(200);
    expect(performance.now() - began).toBeLessThan(10_000);
    const left = await app.app
      .get(Database)
      .repository(GroupMemberEntity)
      .countBy({ groupId: Number(id) });
    expect(left).toBe(1_000);
  }, 60_000);
});
