// @databases mariadb mysql: locks and deadlocks
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { type DomainEvent, DomainEvents } from '../../src/common/events/domain-events';
import { Database } from '../../src/database/database';
import { QueuedMailEntity } from '../../src/integrations/mail/queued-mail.entity';
import { ReplyOwnerEntity } from '../../src/modules/generation/cluster/reply-owner.entity';
import { SideRequestEntity } from '../../src/modules/usage/costs/side-request.entity';
import { UserEntity } from '../../src/modules/user/account/user.entity';
import { AccountRetention } from '../../src/modules/user/personal-data/account.retention';
import { PersonalDataRegistry } from '../../src/modules/user/personal-data/personal-data-registry';
import { createAdmin, createUser, newcomer, PASSWORD, receiveCode, registerUser } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call, expectFailure } from '../support/http';
import { databaseEngine } from '../support/servers/test-database';
import { startTestApp } from '../support/test-app';
import { useOwnTestApp } from '../support/use-app';

const DAY = 86_400_000;

const app = useOwnTestApp();
const events: DomainEvent[] = [];

const close = (token: string, body?: unknown) => call(`${app.url}/user/account`, { method: 'DELETE', token, body });
const me = (token: string) => call(`${app.url}/auth/me`, { token });
const login = (email: string, password = PASSWORD) => call(`${app.url}/auth/login`, { body: { email, password } });
const tables = () => app.app.get(Database);

beforeAll(() => {
  app.app.get(DomainEvents).on('user.*', (event) => {
    events.push(event);
    return Promise.resolve();
  });
});
afterEach(() => app.resetClock());

describe('closing an account', () => {
  it('requires the password, ends access immediately and frees name and address', async () => {
    const account = await registerUser(app);
    const other = await login(account.email, account.password);
    expectFailure(await close(account.token, { password: 'wrong password' }), 401, 'INVALID_CREDENTIALS');
    expect((await me(account.token)).status).toBe(200);

    const answer = await close(account.token, { password: account.password });
    expect(answer.status).toBe(200);
    const { erase_at, message } = answer.body as { erase_at: string; message: string };
    expect(answer.body).toEqual({ success: true, message, erase_at });
    expect(message).toMatch(/20\d\d/);
    expect(Math.abs(Date.parse(erase_at) - Date.now() - 7 * DAY)).toBeLessThan(60_000);
    expect(
      (await app.mails.waitForMail(account.email, ({ subject }) => /closed/.test(subject ?? ''))).text,
    ).toBeTruthy();

    expectFailure(await me(account.token), 401, 'SESSION_REVOKED');
    expectFailure(await me((other.body as { access_token: string }).access_token), 401, 'SESSION_REVOKED');
    const refresh = await call(`${app.url}/auth/refresh_token`, { body: { refresh_token: account.refreshToken } });
    expectFailure(refresh, 401, 'REFRESH_TOKEN_INVALID');
    expectFailure(await login(account.email, account.password), 401, 'INVALID_CREDENTIALS');
    expect(events.filter(({ type, userId }) => type === 'user.deleted' && userId === account.user.id)).toHaveLength(1);

    const again = await registerUser(app, { email: account.email, username: account.user.username });
    expect(again.user.id).not.toBe(account.user.id);
  });

  it('accepts a code instead, once', async () => {
    const account = await createUser(app);
    expectFailure(await close(account.token, { code: '000000' }), 400, 'INVALID_CODE');
    const { email } = account;
    const ofReset = { code: await receiveCode(app, email, 'reset_password') };
    expectFailure(await close(account.token, ofReset), 400, 'INVALID_CODE');
    const code = await receiveCode(app, email, 'login');
    expect((await close(account.token, { code })).status).toBe(200);
    expectFailure(await close(account.token, { code }), 401, 'SESSION_REVOKED');
    expectFailure(await call(`${app.url}/auth/verify`, { body: { email, code } }), 400, 'INVALID_CODE');
  });

  it('is refused without a password or a code', async () => {
    const account = await createUser(app);
    const error = expectFailure(await close(account.token, {}), 422, 'VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field: 'password', reason: 'required' });
    expect((await me(account.token)).status).toBe(200);
  });

  it('runs once in ten concurrent requests', async () => {
    const account = await createUser(app);
    const answers = await Promise.all(Array.from({ length: 10 }, () => close(account.token, { password: PASSWORD })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(events.filter(({ type, userId }) => type === 'user.deleted' && userId === account.user.id)).toHaveLength(1);
  });

  it('is refused for the last administrator', async () => {
    const [first, second] = [await createAdmin(app), await createAdmin(app)];
    const answers = await Promise.all([first, second].map(({ token }) => close(token, { password: PASSWORD })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expectFailure(answer, 409, 'LAST_ADMIN');
    }
  });
});

describe('the erasure', () => {
  it('runs after the announced days, and leaves nothing that identifies the user', async () => {
    const secret = newcomer();
    const account = await registerUser(app, secret);
    const body = { bio: `I am ${secret.username}`, avatar: '/me.png', language: 'ja' };
    await call(`${app.url}/user/profile`, { method: 'PUT', token: account.token, body });
    await close(account.token, { password: account.password });
    // Mails are erased when they are sent; the one about the closing is still queued.
    while ((await tables().repository(QueuedMailEntity).count()) > 0) {
      await setImmediate();
    }
    const row = () =>
      tables()
        .repository(UserEntity)
        .findOne({ where: { id: account.user.id }, withDeleted: true });

    // Of a title that no instance has stored yet.
    const asked = {
      kind: 'title',
      userId: account.user.id,
      ownerId: 'x',
      askedAt: new Date(Date.now() + 30 * DAY),
    } as const;
    const ofNothing = { holdName: '', apiKeyId: null, chatId: 0, agentId: 0, messageId: null, provider: '', model: '' };
    await tables().write(async (manager) => {
      await manager.insert(ReplyOwnerEntity, { id: asked.ownerId, seenAt: asked.askedAt });
      await manager.insert(SideRequestEntity, { ...asked, ...ofNothing, promptTokens: 1 });
    });
    app.advanceClock(7 * DAY - 60_000);
    await app.app.get(AccountRetention).eraseDue();
    expect(await row()).toMatchObject({ formerEmail: secret.email, bio: body.bio });

    app.advanceClock(2 * 60_000);
    while ((await app.app.get(AccountRetention).eraseDue()) === 0);
    const left = await row();
    expect(await tables().repository(SideRequestEntity).count()).toBe(0);
    expect(left).toMatchObject({ id: account.user.id, eraseAt: null, settings: {} });
    expect(JSON.stringify(left)).not.toContain(secret.username);
    expect(JSON.stringify(left)).not.toMatch(/me\.png|"ja"/);
    for (const { name, rows } of app.app.get(PersonalDataRegistry).sources) {
      const found: object[] = [];
      for await (const object of rows(account.user.id)) {
        found.push(object);
      }
      expect({ name, found }).toEqual({ name, found: [] });
    }
    await expectNowhere(secret.username);
    await expectNotInFiles(secret.username);
  });

  it('runs immediately if deleted accounts are not kept', async () => {
    const hasty = await startTestApp({ ACCOUNT_ERASE_DAYS: '0' });
    const { user, token } = await createUser(hasty);
    const answer = await call(`${hasty.url}/user/account`, { method: 'DELETE', token, body: { password: PASSWORD } });
    expect(answer.status).toBe(200);
    const users = hasty.app.get(Database).repository(UserEntity);
    await eventually(async () => {
      const left = await users.findOne({ where: { id: user.id }, withDeleted: true });
      return left?.eraseAt === null;
    });
    await hasty.close();
  });

  it('does not start if the account has been reopened before', async () => {
    const { user, token, email } = await createUser(app);
    await close(token, { password: PASSWORD });
    app.advanceClock(8 * DAY);
    const database = app.app.get(Database);
    const write = database.write.bind(database);
    const opened = {
      email,
      usernameKey: user.username.toLowerCase(),
      formerEmail: null,
      deletedAt: null,
      eraseAt: null,
    };
    jest.spyOn(database, 'write').mockImplementationOnce(async (work) => {
      await write((manager) => manager.update(UserEntity, { id: user.id }, opened));
      return write(work);
    });
    while ((await app.app.get(AccountRetention).eraseDue()) === 0);
    const left = await tables().repository(UserEntity).findOneBy({ id: user.id });
    expect(left).toMatchObject({ email, username: user.username });
  });

  it('is retried later when a part of it fails, and does not delay the others', async () => {
    const [stuck, other] = [await createUser(app), await createUser(app)];
    await close(stuck.token, { password: PASSWORD });
    await close(other.token, { password: PASSWORD });
    const [source] = app.app.get(PersonalDataRegistry).sources;
    const reallyErase = source!.erase.bind(source);
    const erase = jest
      .spyOn(source!, 'erase')
      .mockImplementation((userId) =>
        userId === stuck.user.id ? Promise.reject(new Error('the table is locked')) : reallyErase(userId),
      );
    app.advanceClock(8 * DAY);
    const erasure = app.app.get(AccountRetention);
    while ((await erasure.eraseDue()) === 0);
    const due = () =>
      tables()
        .repository(UserEntity)
        .find({ where: [{ id: stuck.user.id }, { id: other.user.id }], withDeleted: true, order: { id: 'ASC' } });
    expect((await due()).map(({ eraseAt }) => eraseAt === null)).toEqual([false, true]);
    // A half-erased account cannot be reopened.
    const { token } = await createAdmin(app);
    const restored = await call(`${app.url}/admin/users/${stuck.user.id}/restore`, { token, body: {} });
    expectFailure(restored, 404, 'USER_NOT_FOUND');
    const closed = await call<{ data: { items: { id: number }[] } }>(`${app.url}/admin/users?status=closed`, { token });
    expect(closed.body.data.items.map(({ id }) => id)).not.toContain(stuck.user.id);
    erase.mockRestore();
    app.advanceClock(2 * 3_600_000);
    while ((await erasure.eraseDue()) === 0);
    expect((await due()).map(({ eraseAt }) => eraseAt === null)).toEqual([true, true]);
  });
});

/** Searches the bytes of SQLite's files, which may still contain a deleted row. */
async function expectNotInFiles(text: string): Promise<void> {
  const file = app.environment.DATABASE_URL?.replace('sqlite:', '') ?? '';
  for (const name of databaseEngine() === 'sqlite' ? [file, `${file}-wal`] : []) {
    expect({ name, isFound: (await readFile(name)).includes(text) }).toEqual({ name, isFound: false });
  }
}

/** Searches all rows in all tables. */
async function expectNowhere(text: string): Promise<void> {
  const { manager } = tables();
  const names = await manager.query<{ name: string }[]>(
    databaseEngine() === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  expect(names.length).toBeGreaterThan(5);
  for (const { name } of names) {
    const rows = JSON.stringify(await manager.query(`SELECT * FROM \`${name}\``));
    expect({ name, isFound: rows.includes(text) }).toEqual({ name, isFound: false });
  }
}
