// @databases mariadb: requests at the same time
import { Database } from '../../src/database/database';
import type { GroupDto, GroupMemberDto } from '../../src/modules/group/administration/group.dto';
import { IdentityEntity } from '../../src/modules/identity/identities/identity.entity';
import { createUser, newcomer } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { watchNormalizing } from '../support/normalized-marks';
import { expectScimFailure, GROUP, type ScimBody, ScimClient } from '../support/scim-client';
import { made, useAdmin, useTestApp } from '../support/use-app';

describe('directory groups', () => {
  const app = useTestApp();
  const admin = useAdmin(app);
  const scim = made(beforeAll, () => ScimClient.of(app, admin));
  const membersOf = (id: string) => admin.items<GroupMemberDto>(`/admin/groups/${id}/members`);
  const idsOf = (group: ScimBody) => ((group.members ?? []) as { value: string }[]).map(({ value }) => value);

  it('are created with members, and administrators see their source', async () => {
    const [ada, bob] = [await scim.person(), await scim.person()];
    const { username: name } = newcomer();
    const answer = await scim.post('/Groups', {
      schemas: [GROUP],
      displayName: name,
      externalId: `external-${name}`,
      members: [{ value: ada.id }, { value: bob.id, type: 'User' }, { value: ada.id }],
    });
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.body).toEqual({
      schemas: [GROUP],
      id,
      externalId: `external-${name}`,
      displayName: name,
      members: [ada.id, bob.id].map((value) => ({
        value,
        $ref: `${app.origin}/scim/v2/Users/${value}`,
        type: 'User',
      })),
      meta: expect.objectContaining({ resourceType: 'Group', location: `${app.origin}/scim/v2/Groups/${id}` }),
    });
    expect((await admin.get<GroupDto>(`/admin/groups/${id}`)).body.data).toMatchObject({
      name,
      managed_by: 'scim',
      member_count: 2,
    });
    expect((await membersOf(id)).map(({ source }) => source)).toEqual(['scim', 'scim']);
    expect((await scim.get(`/Users/${ada.id}`)).body.groups).toEqual([
      { value: id, $ref: `${app.origin}/scim/v2/Groups/${id}`, display: name, type: 'direct' },
    ]);
    const removal = await admin.delete(`/admin/groups/${id}/members/${ada.id}`);
    expect(removal.status).toBe(409);
  });

  it('are refused for a name of marks only, which is normalized in short parts', async () => {
    const longestRow = watchNormalizing();
    const displayName = '\u0315'.repeat(20_000) + '\u0316'.repeat(20_000);
    expectScimFailure(await scim.post('/Groups', { schemas: [GROUP], displayName }), 400, 'invalidValue');
    expect(longestRow()).toBeLessThanOrEqual(30);
    jest.restoreAllMocks();
  });

  it('are found by name and external id, without members unless requested', async () => {
    const { username } = newcomer();
    const group = await scim.group({ externalId: username, members: [{ value: (await scim.person()).id }] });
    const { displayName } = group;
    for (const filter of [
      `displayName eq "${displayName}"`,
      `displayName eq "${displayName.toUpperCase()}"`,
      // As from a directory that stores it with a trailing space, which is trimmed here.
      `displayName eq " ${displayName} "`,
      `externalId eq "${username}"`,
      `id eq "${group.id}" and members eq "1"`,
    ]) {
      const { body } = await scim.list('/Groups', filter);
      expect(body.Resources.map(({ id }) => id)).toEqual(filter.includes('members') ? [] : [group.id]);
    }
    const thin = await scim.get(`/Groups/${group.id}?excludedAttributes=members`);
    expect(thin.body).not.toHaveProperty('members');
    expect(thin.body).toMatchObject({ displayName });
    expectScimFailure(await scim.list('/Groups', 'members pr'), 400, 'invalidFilter');
    // A PUT may contain its external id, or not.
    for (const named of [{ externalId: username }, {}]) {
      const put = await scim.put(`/Groups/${group.id}`, { schemas: [GROUP], displayName, ...named });
      expect(put).toMatchObject({ status: 200, body: { externalId: username } });
    }
  });

  it('are renamed by the directory only', async () => {
    const { id, displayName } = await scim.group();
    const path = `/admin/groups/${id}`;
    expectFailure(await admin.put(path, { name: newcomer().username }), 409, 'GROUP_MANAGED');
    expect(await admin.put(path, { name: displayName, description: 'Ours.' })).toMatchObject({ status: 200 });
    expect(
      await scim.patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value: newcomer().username }),
    ).toMatchObject({ status: 200 });
  });

  it('are changed by patches as Entra and Okta send them', async () => {
    const [ada, bob, cy] = [await scim.person(), await scim.person(), await scim.person()];
    const { id } = await scim.group({ members: [{ value: ada.id }] });
    const path = `/Groups/${id}`;
    const patched = async (...operations: object[]) => idsOf((await scim.patch(path, ...operations)).body).sort();
    const both = [ada.id, bob.id].sort();
    expect(await patched({ op: 'Add', path: 'members', value: [{ $ref: null, value: bob.id }] })).toEqual(both);
    expect(await patched({ op: 'Add', path: 'members', value: [{ $ref: null, value: bob.id }] })).toEqual(both);
    expect(await patched({ op: 'Remove', path: 'members', value: [{ $ref: null, value: ada.id }] })).toEqual([bob.id]);
    expect(await patched({ op: 'add', path: 'members', value: [{ value: cy.id }, { value: ada.id }] })).toHaveLength(3);
    expect(await patched({ op: 'remove', path: `members[value eq "${bob.id}"]` })).toEqual([ada.id, cy.id].sort());
    expect(await patched({ op: 'remove', path: `members[value eq "${bob.id}"]` })).toHaveLength(2);
    expect(await patched({ op: 'replace', path: 'members', value: [{ value: bob.id }] })).toEqual([bob.id]);
    const { username: name } = newcomer();
    const renamed = await scim.patch(path, { op: 'replace', value: { id, displayName: name } });
    expect(renamed.body).toMatchObject({ displayName: name, members: [{ value: bob.id }] });
    expect(await patched({ op: 'remove', path: 'members' })).toEqual([]);
  });

  it('are replaced completely, and removed', async () => {
    const [ada, bob] = [await scim.person(), await scim.person()];
    const { id } = await scim.group({ members: [{ value: ada.id }] });
    const { username: displayName } = newcomer();
    const replaced = await scim.put(`/Groups/${id}`, { schemas: [GROUP], displayName, members: [{ value: bob.id }] });
    expect(replaced.body).toMatchObject({ displayName, members: [{ value: bob.id }] });
    expect((await membersOf(id)).map(({ user_id }) => user_id)).toEqual([Number(bob.id)]);
    expect((await scim.delete(`/Groups/${id}`)).status).toBe(204);
    expectScimFailure(await scim.get(`/Groups/${id}`), 404);
    expect((await admin.get(`/admin/groups/${id}`)).status).toBe(404);
  });

  it('keep members whom administrators added', async () => {
    const ada = await scim.person();
    const { id } = await scim.group({ members: [{ value: ada.id }] });
    await admin.post(`/admin/groups/${id}/members`, { user_id: Number(ada.id) });
    await scim.patch(`/Groups/${id}`, { op: 'remove', path: 'members' });
    expect(await membersOf(id)).toMatchObject([{ user_id: Number(ada.id), sources: ['admin'] }]);
  });

  it('list no removed user, whether the account was closed or unlinked', async () => {
    const own = await ScimClient.of(app, admin, { email_trusted: true });
    const [stays, leaves, closed] = [await own.person(), await own.person(), await own.person()];
    const account = await createUser(app);
    const taken = await own.person({ userName: account.email, emails: [{ value: account.email, primary: true }] });
    expect(taken.id).toBe(String(account.user.id));
    const all = [stays, leaves, closed, taken].map(({ id }) => ({ value: id }));
    const { id, displayName } = await own.group({ members: all });
    expect((await own.delete(`/Users/${leaves.id}`)).status).toBe(204);
    await admin.delete(`/admin/users/${closed.id}`);
    const { token } = account;
    const [identity] = (await call<{ id: number }[]>(`${app.url}/user/identities`, { token })).body;
    await call(`${app.url}/user/identities/${identity?.id}`, { method: 'DELETE', token });
    const members = async () => [
      idsOf((await own.get(`/Groups/${id}`)).body),
      ...(await own.list('/Groups')).body.Resources.map(idsOf),
      ...(await own.list('/Groups', `displayName eq "${displayName}"`)).body.Resources.map(idsOf),
    ];
    expect(await members()).toEqual([[stays.id], [stays.id], [stays.id]]);
    expect((await own.list('/Groups', `id eq "${id}" and members eq "${leaves.id}"`)).body.totalResults).toBe(0);
    const renamed = { op: 'replace', path: 'externalId', value: newcomer().username };
    expect(idsOf((await own.patch(`/Groups/${id}`, renamed)).body)).toEqual([stays.id]);
    const body = { schemas: [GROUP], displayName, members: [{ value: stays.id }] };
    expect(idsOf((await own.put(`/Groups/${id}`, body)).body)).toEqual([stays.id]);
    const again = { ...body, members: [{ value: stays.id }, { value: leaves.id }] };
    expectScimFailure(await own.put(`/Groups/${id}`, again), 400, 'invalidValue');
  });

  it('keep closed accounts through other changes, until they are removed by name', async () => {
    const [stays, closed] = [await scim.person(), await scim.person()];
    const { id } = await scim.group({ members: [{ value: stays.id }, { value: closed.id }] });
    const whileClosed = async (operation: object) => {
      await admin.delete(`/admin/users/${closed.id}`);
      expect(idsOf((await scim.patch(`/Groups/${id}`, operation)).body)).toEqual([stays.id]);
      await admin.post(`/admin/users/${closed.id}/restore`, {});
      return idsOf((await scim.get(`/Groups/${id}`)).body);
    };
    const renamed = { op: 'replace', path: 'externalId', value: newcomer().username };
    expect(await whileClosed(renamed)).toEqual([stays.id, closed.id]);
    const removed = { op: 'remove', path: `members[value eq "${closed.id}"]` };
    expect(await whileClosed(removed)).toEqual([stays.id]);
  });

  it('of other directories are hidden, and so are their users', async () => {
    const own = await admin.post<GroupDto>('/admin/groups', { name: newcomer().username });
    const { id, name } = own.body.data;
    expectScimFailure(await scim.get(`/Groups/${id}`), 404);
    expectScimFailure(await scim.delete(`/Groups/${id}`), 404);
    expectScimFailure(await scim.post('/Groups', { schemas: [GROUP], displayName: name }), 409, 'uniqueness');
    const { user } = await createUser(app);
    const body = { schemas: [GROUP], displayName: newcomer().username };
    for (const value of [String(user.id), 'x', '0']) {
      expectScimFailure(await scim.post('/Groups', { ...body, members: [{ value }] }), 400, 'invalidValue');
    }
    const nested = [{ value: (await scim.person()).id, type: 'Group' }];
    expectScimFailure(await scim.post('/Groups', { ...body, members: nested }), 400, 'invalidValue');
    expectScimFailure(await scim.post('/Groups', { schemas: [GROUP] }), 400, 'invalidValue');
  });

  it('match mappings by their names: granted rights follow the membership', async () => {
    const group = (await admin.post<GroupDto>('/admin/groups', { name: newcomer().username })).body.data;
    const { username: value } = newcomer();
    const mappings = [{ value, membership_type: 'yearly', user_type: 'admin', group: group.id }];
    const own = await ScimClient.of(app, admin, { mappings });
    const ada = await own.person();
    const { id } = await own.group({ displayName: value, members: [{ value: ada.id }] });
    const view = async () => (await admin.get(`/admin/users/${ada.id}`)).body.data;
    expect(await view()).toMatchObject({ membership_type: 'yearly', user_type: 'normal' });
    expect(await membersOf(String(group.id))).toMatchObject([{ user_id: Number(ada.id), source: 'provider' }]);
    const rename = (name: string) => own.patch(`/Groups/${id}`, { op: 'replace', path: 'displayName', value: name });
    await rename(newcomer().username);
    expect(await view()).toMatchObject({ membership_type: 'free' });
    await rename(value);
    expect(await view()).toMatchObject({ membership_type: 'yearly' });
    await own.patch(`/Groups/${id}`, { op: 'remove', path: 'members' });
    expect(await view()).toMatchObject({ membership_type: 'free' });
    expect(await membersOf(String(group.id))).toEqual([]);
  });

  it('grant nothing more by their names when they are deleted, even to users added concurrently', async () => {
    const { username: value } = newcomer();
    const own = await ScimClient.of(app, admin, { mappings: [{ value, membership_type: 'yearly' }] });
    const { id: userId } = await own.person();
    for (let round = 0; round < 8; round++) {
      const { id } = await own.group({ displayName: value });
      const entering = own.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value: userId }] });
      const [removed] = await Promise.all([own.delete(`/Groups/${id}`), entering]);
      expect(removed.status).toBe(204);
      expect((await admin.get(`/admin/users/${userId}`)).body.data).toMatchObject({ membership_type: 'free' });
    }
  });

  it('grant nothing from an earlier token of a user whose account is closed', async () => {
    const { username: value } = newcomer();
    const own = await ScimClient.of(app, admin, { mappings: [{ value, membership_type: 'yearly' }] });
    const { id, externalId } = await own.person();
    /** Like a sign-in. */
    const tell = (userId: string, told: Partial<IdentityEntity>) =>
      app.app.get(Database).write((manager) => manager.update(IdentityEntity, { userId: Number(userId) }, told));
    await tell(id, { subject: externalId, providerGroups: [value] });
    expect((await own.delete(`/Users/${id}`)).status).toBe(204);
    const heir = await own.person({ externalId });
    await tell(heir.id, { subject: externalId });
    await own.group({ members: [{ value: heir.id }] });
    expect((await admin.get(`/admin/users/${heir.id}`)).body.data).toMatchObject({ membership_type: 'free' });
  });

  it('take over a group of the same name that a mapping names, and release it again', async () => {
    const group = (await admin.post<GroupDto>('/admin/groups', { name: newcomer().username })).body.data;
    const mappedBy = (value: string) => ScimClient.of(app, admin, { mappings: [{ value, group: group.id }] });
    const named = { schemas: [GROUP], displayName: group.name };
    const [own, rival, other] = [await mappedBy(group.name), await mappedBy(group.name), await mappedBy('another')];
    const ada = await own.person();
    expectScimFailure(await other.post('/Groups', named), 409, 'uniqueness');
    const taken = await own.group({ displayName: group.name, members: [{ value: ada.id }] });
    expect(taken.id).toBe(String(group.id));
    expectScimFailure(await rival.post('/Groups', named), 409, 'uniqueness');
    expect((await own.delete(`/Groups/${taken.id}`)).status).toBe(204);
    const left = (await admin.get<GroupDto>(`/admin/groups/${group.id}`)).body.data;
    expect(left).toMatchObject({ managed_by: 'admin', member_count: 0 });
  });
});
