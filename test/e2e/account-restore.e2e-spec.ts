// @databases mariadb: statements written by hand
import { DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import type { AdminUserDto, RestoredUserDto } from '../../src/modules/admin/users/admin-user.dto';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { AccountRetention } from '../../src/modules/user/personal-data/account.retention';
import { createUser, PASSWORD, receiveCode, type TestAccount } from '../support/accounts';
import { ChatClient } from '../support/chat-client';
import { call, expectFailure } from '../support/http';
import { useAdmin, useOwnTestApp } from '../support/use-app';

const DAY = 86_400_000;

describe('closed accounts', () => {
  const app = useOwnTestApp();
  const admin = useAdmin(app);
  const told: string[] = [];

  beforeAll(() => {
    app.app.get(DomainEvents).on('user.*', ({ type, userId }) => {
      told.push(`${type} ${userId}`);
      return Promise.resolve();
    });
  });

  const restore = (id: number, body: object = {}) => admin.post<RestoredUserDto>(`/admin/users/${id}/restore`, body);
  const closedOnes = (query = '') => admin.items<AdminUserDto>(`/admin/users?status=closed&size=100${query}`);

  async function closeAccount({ token }: TestAccount): Promise<void> {
    const body = { password: PASSWORD };
    expect((await call(`${app.url}/user/account`, { method: 'DELETE', token, body })).status).toBe(200);
  }

  async function eraseDue(): Promise<void> {
    while ((await app.app.get(AccountRetention).eraseDue()) === 0);
  }

  it('are listed on request, with their address and the time of their erasure', async () => {
    const account = await createUser(app);
    const { username, id } = account.user;
    const { token } = await createUser(app);
    await closeAccount(account);
    const search = `&q=${username.toUpperCase()}`;
    expect(await closedOnes(search)).toEqual([
      expect.objectContaining({ id, username, email: account.email, status: 'closed', erase_at: expect.any(String) }),
    ]);
    expect(await closedOnes(`&q=${account.email}&sort=email`)).toHaveLength(1);
    expect((await closedOnes()).every(({ status }) => status === 'closed')).toBe(true);
    expect(await admin.items(`/admin/users?q=${username}`)).toEqual([]);
    expectFailure(await call(`${app.url}/admin/users?status=closed`, { token }), 403, 'FORBIDDEN');
    expectFailure(await call(`${app.url}/admin/users/${id}/restore`, { token, body: {} }), 403, 'FORBIDDEN');
  });

  it('are reopened with all their content, and without their sessions and password', async () => {
    const account = await createUser(app);
    const { id } = await new ChatClient(app.url, account.token).createChat({ title: 'Still here' });
    await closeAccount(account);
    const answer = await restore(account.user.id);
    expect(answer.body).toMatchObject({
      message: 'The account is open again. Its owner can sign in with a code or a new password.',
      data: { id: account.user.id, email: account.email, status: 'active', restored: true },
    });
    expect(answer.body.data).not.toHaveProperty('erase_at');
    expect(told.filter((event) => event === `user.restored ${account.user.id}`)).toHaveLength(1);
    expect(await admin.entriesOf(answer)).toMatchObject([{ action: 'user.restore', subject_id: account.user.id }]);
    await app.mails.waitForMail(account.email, ({ subject }) => /open again/.test(subject ?? ''));

    const me = { token: account.token };
    expectFailure(await call(`${app.url}/auth/me`, me), 401, 'SESSION_REVOKED');
    const login = { email: account.email, password: PASSWORD };
    expectFailure(await call(`${app.url}/auth/login`, { body: login }), 401, 'INVALID_CREDENTIALS');
    const code = await receiveCode(app, account.email, 'login');
    const body = { email: account.email, code };
    const tokens = await call<{ access_token: string }>(`${app.url}/auth/verify`, { body });
    const chat = await new ChatClient(app.url, tokens.body.access_token).request<{ title: string }>(`/chat/${id}`);
    expect(chat.body.title).toBe('Still here');

    app.advanceClock(10 * DAY);
    await eraseDue();
    expect((await admin.get<AdminUserDto>(`/admin/users/${account.user.id}`)).body.data).toMatchObject({
      username: account.user.username,
    });
  });

  it('stay closed while another account has their address, or their name unless another one is chosen', async () => {
    const account = await createUser(app);
    const { id, username } = account.user;
    await closeAccount(account);
    const successor = await createUser(app, { email: account.email });
    expectFailure(await restore(id), 409, 'EMAIL_ALREADY_REGISTERED');
    await admin.delete(`/admin/users/${successor.user.id}`);
    const namesake = await createUser(app);
    await admin.put(`/admin/users/${namesake.user.id}`, { username: username.toUpperCase() });
    expectFailure(await restore(id), 409, 'USERNAME_TAKEN');
    expectFailure(await restore(id, { username: 'a b' }), 422, 'VALIDATION_ERROR');
    expect((await closedOnes(`&q=${username}`)).map((user) => user.id)).toContain(id);
    const other = `${username}.again`;
    expect((await restore(id, { username: other })).body.data).toMatchObject({ username: other, email: account.email });
  });

  it('that were never closed are unchanged, which the answer reports', async () => {
    const { user } = await createUser(app);
    app.advanceClock(1_000);
    const answer = await restore(user.id, { username: 'another.name' });
    expect(answer.body).toMatchObject({
      message: 'The account is not closed. Nothing was changed.',
      data: { username: user.username, updated_at: user.updated_at, restored: false },
    });
    expect(told).not.toContain(`user.restored ${user.id}`);
    expectFailure(await restore(999_999_999), 404, 'USER_NOT_FOUND');
  });

  it('are reopened once by concurrent requests', async () => {
    const account = await createUser(app);
    await closeAccount(account);
    const answers = await Promise.all(Array.from({ length: 8 }, () => restore(account.user.id)));
    const restored = answers.map(({ body }) => body.data.restored);
    expect(restored.filter(Boolean)).toHaveLength(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it('cannot be reopened when their erasure is due, nor after it', async () => {
    const account = await createUser(app);
    await closeAccount(account);
    app.advanceClock(7 * DAY + 1_000);
    expectFailure(await restore(account.user.id), 404, 'USER_NOT_FOUND');
    await eraseDue();
    expectFailure(await restore(account.user.id), 404, 'USER_NOT_FOUND');
    expect((await closedOnes()).map(({ id }) => id)).not.toContain(account.user.id);
  });

  it('leave correct sums, and no row for a message, when they are erased', async () => {
    const account = await createUser(app);
    const { id: userId } = account.user;
    const client = new ChatClient(app.url, account.token);
    const chat = await client.createChat();
    for (const content of ['One', 'Two']) {
      expect((await client.send(chat.id, content)).status).toBe(200);
    }
    const paths = ['overview', ...['day', 'user', 'agent', 'model'].map((group) => `usage?group_by=${group}`)];
    const statistics = () =>
      Promise.all(
        paths.map(async (path) => {
          const { data } = (await admin.get<{ usage?: object; items?: object[] }>(`/admin/stats/${path}`)).body;
          return data.items ?? data;
        }),
      );
    const rowsOf = async () => {
      const { dataSource } = app.app.get(Database).manager;
      const tables = dataSource.entityMetadatas.filter((table) => table.findColumnWithPropertyName('userId'));
      const counts = tables.map(async ({ tableName }) => {
        const [row] = await dataSource.query<{ n: number }[]>(
          `SELECT COUNT(*) AS n FROM ${tableName} WHERE user_id = ${userId}`,
        );
        return [tableName, Number(row?.n)] as const;
      });
      return Object.fromEntries((await Promise.all(counts)).filter(([, count]) => count > 0));
    };
    expect(await rowsOf()).toMatchObject({ usage_entries: 4, chats: 1, sessions: 1 });
    await closeAccount(account);
    const before = await statistics();
    // Moving the clock would also move the current day.
    const due = { eraseAt: new Date(1_000) };
    await app.app.get(Database).write((manager) => manager.update(UserEntity, { id: userId }, due));
    await eraseDue();
    expect(await rowsOf()).toEqual({
      usage_accounts: 1,
      usage_provider_days: expect.any(Number),
      usage_rollups: expect.any(Number),
    });
    expect(JSON.stringify(before)).toContain('"messages":4');
    expect(await statistics()).toEqual(before);
  });
});
