// @databases mariadb: two instances share one database
import { Database } from '../../src/database/database';
import { ChatEntity } from '../../src/modules/chat/conversations/chat.entity';
import { MessageEntity } from '../../src/modules/chat/conversations/message.entity';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { createUser, PASSWORD, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeKey } from '../support/api-keys';
import { modelEnvironment } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { type ModelServer, startModelServer } from '../support/model-server/model-server';
import { ResponsesClient } from '../support/open-responses/responses-client';
import { ScimClient } from '../support/scim-client';
import { type RedisServer, startRedisServer } from '../support/servers/redis-server';
import { databaseEngine } from '../support/servers/test-database';
import { suspend } from '../support/suspensions';
import { startInstance, startTestApp, type TestApp } from '../support/test-app';
import { useAdmin, useChatApp } from '../support/use-app';

const SETTINGS = { CONCURRENT_NORMAL: '10', QUOTA_FREE_MESSAGES: '1000' };

/** The replies of a user, oldest first. */
function repliesOf(app: TestApp, userId: number): Promise<MessageEntity[]> {
  return app.app
    .get(Database)
    .repository(MessageEntity)
    .createQueryBuilder('message')
    .innerJoin(ChatEntity, 'chat', 'chat.id = message.chat_id AND chat.user_id = :userId', { userId })
    .where("message.role = 'assistant'")
    .orderBy('message.id')
    .getMany();
}

/** Waits until none of the user's replies is running, which no model would ever finish. */
async function endsOf(app: TestApp, userId: number): Promise<MessageEntity[]> {
  return eventually(async () => {
    const replies = await repliesOf(app, userId);
    return replies.every(({ status }) => status !== 'streaming') ? replies : undefined;
  });
}

async function expectStoppedAndCounted(app: TestApp, userId: number, texts: string[]): Promise<void> {
  const replies = await endsOf(app, userId);
  expect(replies.map(({ status, finishReason, content }) => [status, finishReason, content])).toEqual(
    texts.map((text) => ['stopped', 'cancelled', text]),
  );
  const counted = await app.app.get(Database).repository(UsageEntryEntity).findBy({ userId, role: 'assistant' });
  expect(counted.map(({ status, promptTokens }) => [status, promptTokens > 5])).toEqual(
    texts.map(() => ['stopped', true]),
  );
}

describe('the running replies of an account that loses access', () => {
  const app = useChatApp(SETTINGS);
  const admin = useAdmin(app);

  const ways: [string, (account: TestAccount) => Promise<{ status: number }>][] = [
    ['banned', ({ user }) => admin.post(`/admin/users/${user.id}/ban`, { reason: 'Sends spam.' })],
    [
      'closed',
      ({ token }) => call(`${app.url}/user/account`, { method: 'DELETE', token, body: { password: PASSWORD } }),
    ],
    ['suspended', ({ user }) => suspend(app, user.id).then(() => ({ status: 200 }))],
    ['closed by an administrator', ({ user }) => admin.delete(`/admin/users/${user.id}`)],
  ];

  it.each(ways)('are stopped and counted when it is %s', async (_how, end) => {
    const account = await createUser(app);
    const client = new ChatClient(app.url, account.token);
    const program = new ResponsesClient(app.origin, account.token, 'General assistant');
    const [spoken, silent, whole] = [uniqueContent(), uniqueContent(), uniqueContent()];
    await app.model.script({ key: spoken, steps: [{ text: 'Hello ' }, { stall: true }] });
    await app.model.script({ key: silent, hang: true });
    await app.model.script({ key: whole, hang: true });
    const chat = await client.createChat();
    const stream = await client.stream(chat.id, spoken);
    await stream.until('Hello ');
    await program.create({ input: silent, background: true });
    await app.model.waitFor('received', { key: silent });
    const other = await client.createChat();
    const answer = client.send(other.id, whole);
    await app.model.waitFor('received', { key: whole });
    expect((await end(account)).status).toBe(200);
    expect((await stream.plain()).trailer).toMatchObject({ status: 'stopped', finish_reason: 'cancelled' });
    expect((await answer).body[1]).toMatchObject({ status: 'stopped', content: '' });
    await expectStoppedAndCounted(app, account.user.id, ['Hello ', '', '']);
  });
});

describe('the running reply of an account that is erased immediately', () => {
  const app = useChatApp({ ACCOUNT_ERASE_DAYS: '0' });
  const admin = useAdmin(app);

  it('is counted nevertheless, and leaves no row', async () => {
    const { token, user } = await createUser(app);
    const content = uniqueContent();
    await app.model.script({ key: content, hang: true });
    const program = new ResponsesClient(app.origin, token, 'General assistant');
    await program.create({ input: content, background: true });
    await app.model.waitFor('received', { key: content });
    await call(`${app.url}/user/account`, { method: 'DELETE', token, body: { password: PASSWORD } });
    await eventually(async () => {
      const where = { id: user.id };
      const left = await app.app.get(Database).repository(UserEntity).findOne({ where, withDeleted: true });
      return left?.eraseAt === null;
    });
    expect(await repliesOf(app, user.id)).toEqual([]);
    const ledger = app.app.get(Database).repository(UsageEntryEntity);
    expect(await ledger.countBy({ userId: user.id })).toBe(0);
    const today = (await admin.items<{ tokens: number }>('/admin/stats/usage?group_by=day')).at(-1);
    expect(today?.tokens).toBeGreaterThan(5);
  });
});

if (databaseEngine() !== 'sqlite') {
  describe('a second instance without Redis', () => stopsReplies(false));
  describe('a second instance with Redis', () => stopsReplies(true));
}

function stopsReplies(hasRedis: boolean): void {
  let model: ModelServer;
  let redis: RedisServer | undefined;
  let app: TestApp;
  let second: Awaited<ReturnType<typeof startInstance>>;
  let admin: AdminClient;

  beforeAll(async () => {
    model = await startModelServer();
    redis = hasRedis ? await startRedisServer() : undefined;
    app = await startTestApp({ ...SETTINGS, ...modelEnvironment(model), ...(redis && { REDIS_URL: redis.url }) });
    second = await startInstance(app.environment);
    admin = await AdminClient.of(app);
  });

  afterAll(async () => {
    await second.app.close();
    await app.close();
    await redis?.stop();
    await model.close();
  });

  it('stops the replies of a banned user, including those that start while it does not know of the ban', async () => {
    const account = await createUser(app);
    const program = new ResponsesClient(second.origin, account.token, 'General assistant');
    const content = uniqueContent();
    await model.script({ key: content, hang: true });
    await program.create({ input: content, background: true });
    await model.waitFor('received', { key: content });
    await admin.post(`/admin/users/${account.user.id}/ban`, { reason: 'Sends spam.' });
    const late = await program.post({ input: content, background: true });
    const replies = await endsOf(app, account.user.id);
    expect(replies).toHaveLength(late.status === 200 ? 2 : 1);
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 'stopped'));
  });

  it('ends the requests of a user who leaves the company, including streams', async () => {
    const account = await createUser(app);
    const content = uniqueContent();
    await model.script({ key: content, steps: [{ text: 'Hello ' }, { stall: true }] });
    const { key } = await makeKey(app, account.token);
    const scim = await ScimClient.of(app, admin, { email_trusted: true });
    const { id } = await scim.person({ userName: account.email, emails: [] });
    const client = new ChatClient(second.url, account.token);
    const stream = await client.stream((await client.createChat()).id, content);
    await stream.until('Hello ');
    expect((await call(`${second.url}/chat`, { token: key })).status).toBe(200);
    const since = Date.now();
    const off = await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect((await stream.plain()).trailer).toMatchObject({ status: 'stopped' });
    await eventually(async () => (await client.request('/chat')).status === 401);
    await eventually(async () => (await call(`${second.url}/chat`, { token: key })).status === 403);
    expect(Date.now() - since).toBeLessThan(6_000);
    expectFailure(await client.request('/chat'), 401, 'SESSION_REVOKED');
    expectFailure(await call(`${second.url}/chat`, { token: key }), 403, 'IDENTITY_SUSPENDED');
    await expectStoppedAndCounted(app, account.user.id, ['Hello ']);
  });

  it('stops the replies of a closed account', async () => {
    const account = await createUser(app);
    const content = uniqueContent();
    await model.script({ key: content, steps: [{ text: 'Hello ' }, { stall: true }] });
    const client = new ChatClient(second.url, account.token);
    const stream = await client.stream((await client.createChat()).id, content);
    await stream.until('Hello ');
    const body = { password: PASSWORD };
    await call(`${app.url}/user/account`, { method: 'DELETE', token: account.token, body });
    expect((await stream.plain()).trailer).toMatchObject({ status: 'stopped' });
    await expectStoppedAndCounted(app, account.user.id, ['Hello ']);
  });
}
