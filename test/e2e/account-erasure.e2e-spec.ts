// @databases mariadb mysql: locks and deadlocks
import { Database } from '../../src/database/database';
import { AuditLogEntity } from '../../src/modules/admin/audit/audit-log.entity';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { makeKey } from '../support/api-keys';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { suspend } from '../support/suspensions';
import { useOwnChatApp } from '../support/use-app';

const HOUR = 3_600_000;

const app = useOwnChatApp();
let admin: TestAccount;

const erase = (id: number, body: object, token = admin.token) =>
  call<{ data: { id: number; erase_at: string } }>(`${app.url}/admin/users/${id}/erase`, { token, body });
const users = () => app.app.get(Database).repository(UserEntity);
const account = (id: number) => users().findOneOrFail({ where: { id }, withDeleted: true });
const isErased = (id: number) => eventually(async () => (await account(id)).eraseAt === null && (await account(id)));

beforeAll(async () => {
  admin = await createAdmin(app);
});

afterEach(() => app.resetClock());

describe('erasing an account at once', () => {
  it('closes it, erases its content, and is in the audit log without personal data', async () => {
    const { user, token } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const { id: chatId } = await client.createChat({ title: 'Private' });
    await client.send(chatId, uniqueContent());

    const { status, body } = await erase(user.id, { username: user.username });
    expect(status).toBe(200);
    expect(body.data.id).toBe(user.id);
    expect(Math.abs(Date.parse(body.data.erase_at) - Date.now())).toBeLessThan(60_000);
    expectFailure(await call(`${app.url}/auth/me`, { token }), 401, 'SESSION_REVOKED');

    expect(await isErased(user.id)).toMatchObject({ username: `#${user.id}`, email: `#${user.id}` });
    const chats = await app.app
      .get(Database)
      .repository(ChatEntity)
      .find({ where: { id: chatId }, withDeleted: true });
    expect([chats, await app.app.get(Database).repository(MessageEntity).countBy({ chatId })]).toEqual([[], 0]);
    const [entry] = await app.app.get(Database).repository(AuditLogEntity).findBy({ action: 'user.erase' });
    expect(entry).toMatchObject({ actorId: admin.user.id, targetId: String(user.id) });
    expect(JSON.stringify(entry)).not.toContain(user.username);
  });

  it('changes nothing the second time, and finds nothing after the erasure', async () => {
    const { user } = await createUser(app);
    const both = await Promise.all([1, 2].map(() => erase(user.id, { username: user.username })));
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([200]));
    for (const answer of both) {
      expect([200, 404]).toContain(answer.status);
    }
    await isErased(user.id);
    expectFailure(await erase(user.id, { username: user.username }), 404, 'USER_NOT_FOUND');
    const entries = await app.app
      .get(Database)
      .repository(AuditLogEntity)
      .findBy({ targetId: String(user.id) });
    expect(entries.filter(({ before }) => before !== null)).toHaveLength(1);
  });

  it('refuses another name, and no name', async () => {
    const { user, token } = await createUser(app);
    for (const body of [{ username: 'someone_else' }, { username: user.username.toUpperCase() }, {}]) {
      const error = expectFailure(await erase(user.id, body), 422, 'VALIDATION_ERROR');
      expect(error.details).toMatchObject({ field: 'username' });
    }
    expect((await call(`${app.url}/auth/me`, { token })).status).toBe(200);
  });

  it('refuses administrators, and accounts that do not exist', async () => {
    const { user } = await createAdmin(app);
    expectFailure(await erase(user.id, { username: user.username }), 409, 'ADMIN_NOT_ERASABLE');
    expectFailure(await erase(999_999, { username: 'nobody' }), 404, 'USER_NOT_FOUND');
    expect((await account(user.id)).deletedAt).toBeNull();
  });

  it('needs a sign-in within the last hour, which a refresh is not', async () => {
    const { user } = await createUser(app);
    const earlier = await createAdmin(app);
    app.advanceClock(HOUR + 1_000);
    const { body } = await call<{ access_token: string }>(`${app.url}/auth/refresh_token`, {
      body: { refresh_token: earlier.refreshToken },
    });
    const answer = await erase(user.id, { username: user.username }, body.access_token);
    expectFailure(answer, 403, 'RECENT_SIGN_IN_REQUIRED');
    const { key } = await makeKey(app, admin.token, { scopes: ['admin:write'] });
    expectFailure(await erase(user.id, { username: user.username }, key), 403, 'SCOPE_REQUIRED');
    const { token } = await createUser(app);
    expectFailure(await erase(user.id, { username: user.username }, token), 403, 'FORBIDDEN');
  });

  it.each<[string, (target: TestAccount) => Promise<unknown>]>([
    ['closed', ({ user }) => call(`${app.url}/admin/users/${user.id}`, { method: 'DELETE', token: admin.token })],
    [
      'banned',
      ({ user }) => call(`${app.url}/admin/users/${user.id}/ban`, { token: admin.token, body: { reason: 'Spam' } }),
    ],
    ['suspended', ({ user }) => suspend(app, user.id)],
  ])('erases an account that is %s', async (_state, change) => {
    const target = await createUser(app);
    await change(target);
    expect((await erase(target.user.id, { username: target.user.username })).status).toBe(200);
    expect((await isErased(target.user.id)).username).toBe(`#${target.user.id}`);
  });

  it('ends a running reply, of which nothing stays', async () => {
    const { user, token } = await createUser(app);
    const client = new ChatClient(app.url, token);
    const { id: chatId } = await client.createChat();
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text: 'some words' }, { hold: content }] });
    const stream = await client.stream(chatId, content);
    expect((await erase(user.id, { username: user.username })).status).toBe(200);
    await stream.rest();
    await isErased(user.id);
    await app.model.release(content);
    expect(await app.app.get(Database).repository(MessageEntity).countBy({ chatId })).toBe(0);
  });
});
