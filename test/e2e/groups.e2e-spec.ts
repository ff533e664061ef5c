// @databases mariadb mysql: locks and deadlocks
import { DomainEvents } from '../../src/common/events/domain-events';
import type { GroupDto, GroupMemberDto } from '../../src/modules/group/administration/group.dto';
import { type Group, GroupMemberships, GroupStore } from '../../src/modules/group/group.api';
import { createUser, newcomer } from '../support/accounts';
import { call, expectFailure } from '../support/http';
import { useAdmin, useChatApp } from '../support/use-app';

const BY_SIGN_IN = { kind: 'provider' as const, identityProviderId: 41 };
const BY_SCIM = { kind: 'scim' as const, identityProviderId: 41 };

describe('groups', () => {
  const app = useChatApp();
  const admin = useAdmin(app);

  async function createGroup(body: object = {}): Promise<GroupDto> {
    const answer = await admin.post<GroupDto>('/admin/groups', { name: newcomer().username, ...body });
    expect(answer.status).toBe(201);
    return answer.body.data;
  }

  const add = (group: GroupDto, userId: number) =>
    admin.post<GroupMemberDto>(`/admin/groups/${group.id}/members`, { user_id: userId });
  const remove = (group: GroupDto, userId: number) =>
    admin.delete<{ user_id: number; is_member: boolean }>(`/admin/groups/${group.id}/members/${userId}`);
  const members = (group: GroupDto) => admin.items<GroupMemberDto>(`/admin/groups/${group.id}/members`);

  /** The groups in a provider's sign-in or directory. */
  function give(group: GroupDto, userId: number, source: typeof BY_SIGN_IN | typeof BY_SCIM): Promise<unknown> {
    const [store, memberships] = [app.app.get(GroupStore), app.app.get(GroupMemberships)];
    return store.write(async (manager) => memberships.add(manager, await locked(group), source, [userId]));
  }

  function takeBack(
    group: GroupDto,
    userId: number,
    source: typeof BY_SIGN_IN | typeof BY_SCIM,
    others: number[] = [],
  ): Promise<unknown> {
    const [store, memberships] = [app.app.get(GroupStore), app.app.get(GroupMemberships)];
    const userIds = [userId, ...others];
    return store.write(async (manager) => memberships.remove(manager, await locked(group), source, userIds));
  }

  function locked({ id, name }: GroupDto): Promise<Group> {
    return Promise.resolve({ id, name } as Group);
  }

  it('are listed for their members', async () => {
    const [group, other] = [await createGroup(), await createGroup()];
    const { user, token } = await createUser(app);
    const own = () => call<object[]>(`${app.url}/user/groups`, { token });
    expect((await own()).body).toEqual([]);
    await add(group, user.id);
    await give(other, user.id, BY_SIGN_IN);
    const answer = await own();
    expect(answer.body).toEqual([group, other].map(({ id, name }) => ({ id, name })));
    expect(answer.headers.get('x-total-count')).toBe('2');
    await remove(group, user.id);
    expect((await own()).body).toEqual([{ id: other.id, name: other.name }]);
  });

  it('are created, found, changed and deleted, which is logged', async () => {
    const name = `Engineering ${newcomer().username}`;
    const made = await admin.post<GroupDto>('/admin/groups', { name: ` ${name} `, description: 'Builds.' });
    expect(made).toMatchObject({ status: 201 });
    const { id } = made.body.data;
    expect(made.body.data).toEqual({
      id,
      name,
      description: 'Builds.',
      managed_by: 'admin',
      member_count: 0,
      created_at: expect.any(String),
    });
    expect(await admin.entriesOf(made)).toMatchObject([{ action: 'group.create', target_id: String(id) }]);
    expect(await admin.items(`/admin/groups?q=${encodeURIComponent(name.toUpperCase())}`)).toEqual([made.body.data]);
    const changed = await admin.put<GroupDto>(`/admin/groups/${id}`, { description: '' });
    expect(changed.body.data).toMatchObject({ name, description: '' });
    expect(await admin.entriesOf(changed)).toMatchObject([
      { action: 'group.update', before: { description: 'Builds.' }, after: { description: '' } },
    ]);
    expect((await admin.delete(`/admin/groups/${id}`)).body.data).toEqual({ id });
    expectFailure(await admin.get(`/admin/groups/${id}`), 404, 'GROUP_NOT_FOUND');
    expectFailure(await admin.delete(`/admin/groups/${id}`), 404, 'GROUP_NOT_FOUND');
    expectFailure(await admin.put(`/admin/groups/${id}`, { name }), 404, 'GROUP_NOT_FOUND');
  });

  it('have names that differ in more than case', async () => {
    const [one, other] = [await createGroup(), await createGroup()];
    const name = one.name.toUpperCase();
    expectFailure(await admin.post('/admin/groups', { name }), 409, 'GROUP_NAME_TAKEN');
    expectFailure(await admin.put(`/admin/groups/${other.id}`, { name }), 409, 'GROUP_NAME_TAKEN');
    expect((await admin.put(`/admin/groups/${one.id}`, { name })).status).toBe(200);
  });

  it('are refused without a name', async () => {
    expectFailure(await admin.post('/admin/groups', { name: '   ' }), 422, 'VALIDATION_ERROR');
  });

  it('are for administrators', async () => {
    const { token } = await createUser(app);
    expectFailure(await call(`${app.url}/admin/groups`, { token }), 403, 'FORBIDDEN');
    expectFailure(await call(`${app.url}/admin/groups`, { token, body: { name: 'Mine' } }), 403, 'FORBIDDEN');
  });

  it('one name in twenty concurrent requests is assigned to one', async () => {
    const { username: name } = newcomer();
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin.post('/admin/groups', { name })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  describe('have members', () => {
    it('who are added and removed by administrators', async () => {
      const group = await createGroup();
      const { user } = await createUser(app);
      const added = await add(group, user.id);
      expect(added.status).toBe(201);
      expect(added.body.data).toEqual({
        user_id: user.id,
        username: user.username,
        email: user.email,
        source: 'admin',
        sources: ['admin'],
        added_at: expect.any(String),
      });
      expect(await admin.entriesOf(added)).toMatchObject([
        { action: 'group_member.create', target_id: String(group.id), after: { user_id: user.id, source: 'admin' } },
      ]);
      expect((await add(group, user.id)).status).toBe(201);
      expect(await members(group)).toEqual([added.body.data]);
      expect((await admin.get<GroupDto>(`/admin/groups/${group.id}`)).body.data.member_count).toBe(1);
      expect((await remove(group, user.id)).body.data).toEqual({ user_id: user.id, is_member: false });
      expectFailure(await remove(group, user.id), 404, 'MEMBER_NOT_FOUND');
      expect(await members(group)).toEqual([]);
    });

    it('who exist', async () => {
      const group = await createGroup();
      expectFailure(await add(group, 999_999), 404, 'USER_NOT_FOUND');
      expectFailure(await add({ ...group, id: 999_999 }, admin.id), 404, 'GROUP_NOT_FOUND');
      expectFailure(await admin.get('/admin/groups/999999/members'), 404, 'GROUP_NOT_FOUND');
      expectFailure(await admin.post(`/admin/groups/${group.id}/members`, { user_id: 'x' }), 422, 'VALIDATION_ERROR');
    });

    it.each([[BY_SIGN_IN], [BY_SCIM]])('who are removed only by the source that added them (%j)', async (source) => {
      const group = await createGroup();
      const { user } = await createUser(app);
      await give(group, user.id, source);
      expect(await members(group)).toMatchObject([{ user_id: user.id, source: source.kind }]);
      expectFailure(await remove(group, user.id), 409, 'MEMBER_MANAGED');
      await add(group, user.id);
      expect(await members(group)).toMatchObject([{ source: 'admin', sources: ['admin', source.kind] }]);
      expect((await remove(group, user.id)).body.data).toEqual({ user_id: user.id, is_member: true });
      await add(group, user.id);
      await takeBack(group, user.id, source);
      expect(await members(group)).toMatchObject([{ source: 'admin', sources: ['admin'] }]);
      // Another provider of the same type is another source.
      await give(group, user.id, source);
      await give(group, user.id, { ...source, identityProviderId: source.identityProviderId + 1 });
      await takeBack(group, user.id, source);
      expect(await members(group)).toMatchObject([{ sources: ['admin', source.kind] }]);
    });

    it('with events when they join and leave, and none for further sources', async () => {
      const told: string[] = [];
      const group = await createGroup();
      app.app.get(DomainEvents).on('group.*', ({ type, data }) => {
        const { group_id, source } = data as { group_id: number; source: string };
        told.push(...(group_id === group.id ? [`${type} ${source}`] : []));
        return Promise.resolve();
      });
      const { user } = await createUser(app);
      await give(group, user.id, BY_SCIM);
      await add(group, user.id);
      await takeBack(group, user.id, BY_SCIM);
      expect(told).toEqual(['group.member_added scim']);
      await remove(group, user.id);
      expect(told.slice(1)).toEqual(['group.member_removed admin']);
    });

    it('in a directory request with more members than SQLite allows values in one statement', async () => {
      const group = await createGroup();
      const { user } = await createUser(app);
      await give(group, user.id, BY_SCIM);
      const strangers = Array.from({ length: 33_000 }, (_, index) => user.id + 1_000 + index);
      expect(await takeBack(group, user.id, BY_SCIM, strangers)).toEqual([user.id]);
      expect(await members(group)).toEqual([]);
    });

    it('whose accounts are open', async () => {
      const group = await createGroup();
      const [leaver, stayer] = [await createUser(app), await createUser(app)];
      await add(group, leaver.user.id);
      await add(group, stayer.user.id);
      await admin.delete(`/admin/users/${leaver.user.id}`);
      expect(await members(group)).toMatchObject([{ user_id: stayer.user.id }]);
      expect((await admin.get<GroupDto>(`/admin/groups/${group.id}`)).body.data.member_count).toBe(1);
    });

    it('who are added once by twenty concurrent requests', async () => {
      const group = await createGroup();
      const { user } = await createUser(app);
      await Promise.all(Array.from({ length: 20 }, () => add(group, user.id)));
      expect(await members(group)).toHaveLength(1);
    });

    it('whose export lists them, and whose erasure removes them', async () => {
      const group = await createGroup();
      const { user, token } = await createUser(app);
      await add(group, user.id);
      const { body } = await call<{ groups: object[] }>(`${app.url}/user/export`, { token });
      expect(body.groups).toEqual([
        { group_id: group.id, name: group.name, source: 'admin', added_at: expect.any(String) },
      ]);
    });
  });
});
