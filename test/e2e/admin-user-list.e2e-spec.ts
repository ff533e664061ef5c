// @databases mariadb mysql: collation
import { Database } from '../../src/database/database';
import { type AdminUserDto } from '../../src/modules/admin/users/admin-user.dto';
import { NewChatEntity } from '../../src/modules/usage/folding/new-chat.entity';
import { UsageFolding } from '../../src/modules/usage/folding/usage-folding';
import { UsageAccountEntity } from '../../src/modules/usage/quota/usage-account.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { SessionEntity } from '../../src/modules/user/sessions/session.entity';
import { createUser, newcomer } from '../support/accounts';
import { type PageBody } from '../support/admin-client';
import { expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

describe('the list of users', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  let marker: string;

  beforeAll(async () => {
    marker = newcomer().username.slice(0, 10);
    const create = (name: string, columns: Parameters<typeof createUser>[1]) =>
      createUser(app, {
        ...columns,
        username: `${marker}${name}`,
        usernameKey: `${marker}${name}`,
        email: `${name}@${marker}.example.com`,
      });
    const a = await create('a_b', { membershipType: 'yearly' });
    const b = await create('axb', { membershipType: 'monthly', membershipExpiresAt: new Date(1_000) });
    const c = await create('%', {});
    const d = await create('d', { status: 'banned', bannedUntil: new Date(1_000) });
    await admin.post(`/admin/users/${c.user.id}/ban`, { reason: 'Sends spam.' });
    const counters = { day: 20_000, totalChats: 1, totalMessages: 2 };
    await app.app.get(Database).write((manager) =>
      manager
        .createQueryBuilder()
        .insert()
        .into(UsageAccountEntity)
        .values([
          { ...counters, userId: a.user.id, totalTokens: 30 },
          { ...counters, userId: b.user.id, totalTokens: 9, totalMessages: 0 },
          { ...counters, userId: c.user.id, totalTokens: 100 },
        ])
        .updateEntity(false)
        .execute(),
    );
    // Chats with pending sums count like the others.
    jest.spyOn(app.app.get(UsageFolding), 'foldAll').mockResolvedValue(null);
    const waiting = [b, d, d].map(({ user }) => ({ userId: user.id, agentId: 1_000_000, day: 20_000 }));
    await app.app.get(Database).write((manager) => manager.insert(NewChatEntity, waiting));
  });

  const find = (query: string) => admin.items<AdminUserDto>(`/admin/users?${query}`);

  const names = async (query: string) =>
    (await find(`q=${marker}&${query}`)).map(({ username }) => username.slice(marker.length));

  it('searches names and addresses case-insensitively, and treats wildcards literally', async () => {
    const search = async (text: string) =>
      (await find(`sort=id&q=${encodeURIComponent(text)}`)).map(({ username }) => username.slice(marker.length));
    expect(await search(marker.toUpperCase())).toEqual(['a_b', 'axb', '%', 'd']);
    expect(await search(`${marker}A_B`)).toEqual(['a_b']);
    expect(await search(`${marker}%`)).toEqual(['%']);
    expect(await search(`D@${marker}.EXAMPLE`)).toEqual(['d']);
    expect(await search(`${marker}' OR 1=1 --`)).toEqual([]);
  });

  it('finds a user by id', async () => {
    expect((await find(`q=${admin.id}`)).map(({ id }) => id)).toContain(admin.id);
  });

  it('filters by the current state', async () => {
    expect(await names('sort=id&membership_type=free')).toEqual(['axb', '%', 'd']);
    expect(await names('membership_type=monthly')).toEqual([]);
    expect(await names('membership_type=yearly')).toEqual(['a_b']);
    expect(await names('status=banned')).toEqual(['%']);
    expect(await names('sort=id&status=active')).toEqual(['a_b', 'axb', 'd']);
    expect(await names('user_type=admin')).toEqual([]);
    expect(await names('user_type=normal&status=active&membership_type=yearly')).toEqual(['a_b']);
  });

  it('sorts, including by usage', async () => {
    expect(await names('sort=-id')).toEqual(['d', '%', 'axb', 'a_b']);
    expect(await names('sort=-tokens')).toEqual(['%', 'a_b', 'axb', 'd']);
    // A user without counters has used nothing, like one with counters of 0.
    expect(await names('sort=messages')).toEqual(['axb', 'd', 'a_b', '%']);
    expect(await names('sort=-messages')).toEqual(['%', 'a_b', 'd', 'axb']);
    expect(await names('sort=-chats')).toEqual(['d', 'axb', '%', 'a_b']);
    expect(await names('sort=username')).toEqual(['%', 'a_b', 'axb', 'd']);
    expect(await names('sort=-email')).toEqual(['d', 'axb', 'a_b', '%']);
  });

  it('pages, and shows the usage and last activity of each user', async () => {
    const { body } = await admin.get<PageBody<AdminUserDto>>(`/admin/users?q=${marker}&sort=tokens&size=2&page=2`);
    expect(body.data.pagination).toEqual({ page: 2, size: 2, total: 4, pages: 2 });
    expect(body.data.items).toMatchObject([
      { chats: 1, messages: 2, tokens: 30 },
      { chats: 1, messages: 2, tokens: 100, status: 'banned' },
    ]);
    expect((await find(`q=${marker}&sort=id`)).map(({ chats }) => chats)).toEqual([1, 2, 1, 2]);
    const seen = Date.parse(body.data.items[0]?.last_activity_at ?? '');
    expect(Date.now() - seen).toBeLessThan(60_000);
    expect(Date.now() - seen).toBeGreaterThanOrEqual(0);
  });

  it('shows the day of the last message for users without a session, such as API key users', async () => {
    const { user } = await createUser(app);
    await app.app.get(Database).write(async (manager) => {
      await manager.update(UserEntity, { id: user.id }, { lastLoginAt: null });
      await manager.delete(SessionEntity, { userId: user.id });
      await manager.insert(UsageAccountEntity, { userId: user.id, day: 20_000 });
    });
    const { data } = (await admin.get<AdminUserDto>(`/admin/users/${user.id}`)).body;
    expect(data.last_activity_at).toBe('2024-10-04T00:00:00.000Z');
  });

  it('refuses an unknown order', async () => {
    expectFailure(await admin.get('/admin/users?sort=password_hash'), 400, 'VALIDATION_ERROR');
  });

  it('queries the database for many users at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => createUser(app)));
    const log = jest.spyOn(app.app.get(Database).manager.dataSource.logger, 'logQuery');
    const users = await find('size=100');
    const statements = log.mock.calls.map(([statement]) => statement);
    const times = statements.map((statement) => statements.filter((other) => other === statement).length);
    expect(users.length).toBeGreaterThan(5);
    expect(statements.length).toBeGreaterThan(0);
    expect(Math.max(...times)).toBeLessThan(users.length);
  });
});
