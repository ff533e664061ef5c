// @databases mariadb: migrations
import { Database } from '../../src/database/database';
import { FIRST_GENERATION_ID, GenerationEntity } from '../../src/modules/generation/generation.entity';
import { IdempotencyKeyEntity } from '../../src/modules/generation/idempotency/idempotency-key.entity';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { PASSWORD } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { HIDDEN_CONVERSATIONS } from '../support/releases/hidden-conversations';
import { buildDatabase, openDatabase } from '../support/releases/release-database';
import { createTestDatabase } from '../support/servers/test-database';
import { startTestApp, type TestApp } from '../support/test-app';

describe('conversations that an earlier version hid', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    await buildDatabase(database.url, HIDDEN_CONVERSATIONS);
    const dataSource = await openDatabase(database.url);
    await dataSource.runMigrations();
    await dataSource.destroy();
    app = await startTestApp({ DATABASE_URL: database.url });
    const body = { email: 'ada@example.com', password: PASSWORD };
    token = (await call<{ access_token: string }>(`${app.url}/auth/login`, { body })).body.access_token;
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const find = (id: number): Promise<GenerationEntity | null> =>
    app.app.get(Database).repository(GenerationEntity).findOneBy({ id });

  const complete = (key: string) => {
    const body = { model: '1', messages: [{ role: 'user', content: 'Hello' }] };
    const url = new URL('/openai/v1/chat/completions', app.url).href;
    return call<{ id: string; choices: { message: { content: string } }[] }>(url, {
      token,
      body,
      headers: { 'Idempotency-Key': key },
    });
  };

  it('answer their requests again under the same id, and new ones get ids that no message has', async () => {
    const probe = await complete('probe');
    expect(Number(/^chatcmpl-(\d+)$/.exec(probe.body.id)?.[1])).toBeGreaterThanOrEqual(FIRST_GENERATION_ID);
    const keys = app.app.get(Database).repository(IdempotencyKeyEntity);
    const { fingerprint } = await keys.findOneByOrFail({ key: 'probe' });
    await app.app
      .get(Database)
      .write((manager) => manager.update(IdempotencyKeyEntity, { key: 'kept' }, { fingerprint }));
    expect((await complete('kept')).body).toMatchObject({
      id: 'chatcmpl-102',
      choices: [{ message: { content: 'Kept answer.' } }],
    });
  });

  it('are not in the trash', async () => {
    const { body } = await call(`${app.url}/chat/trash`, { token });
    expect(body).toEqual([]);
  });

  it('end if a crash interrupted them', async () => {
    // It was kept for no request, so its row is deleted at its end, and its tokens count.
    await eventually(async () => (await find(112)) === null);
    const entry = await app.app.get(Database).repository(UsageEntryEntity).findOneByOrFail({ messageId: 112 });
    expect(entry).toMatchObject({ status: 'interrupted', promptTokens: 7, chatId: 0 });
  });

  it('are not moved while an instance of that version writes them', async () => {
    expect(await find(122)).toBeNull();
    const [row] = await app.app
      .get(Database)
      .manager.query<{ content: string }[]>('SELECT content FROM chat_messages WHERE id = 122');
    // On SQLite there can be no other instance: the service ends it at its start, and then erases the conversation.
    if (app.app.get(Database).isShared) {
      expect(row?.content).toBe('Still wri');
    }
  });
});
