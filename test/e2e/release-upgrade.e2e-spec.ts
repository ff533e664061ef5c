// @databases mariadb mysql: migrations
import { Database } from '../../src/database/database';
import type { TokenPairDto } from '../../src/modules/auth/tokens/token.dto';
import type { ChatWithMessagesDto } from '../../src/modules/chat/chats/chat.dto';
import { SecretCipher } from '../../src/modules/webhook/endpoint/secret-cipher';
import { WebhookEndpointEntity } from '../../src/modules/webhook/endpoint/webhook-endpoint.entity';
import { PASSWORD } from '../support/accounts';
import { call } from '../support/http';
import { buildDatabase, openDatabase, readContents, tablesOf } from '../support/releases/release-database';
import { RELEASES } from '../support/releases/releases';
import { createTestDatabase } from '../support/servers/test-database';
import { startTestApp, type TestApp } from '../support/test-app';

describe.each(RELEASES)('a database from release $name', (release) => {
  const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];

  /** One for each test that migrates it or needs it unchanged. */
  const build = async (): Promise<string> => {
    const database = await createTestDatabase();
    databases.push(database);
    await buildDatabase(database.url, release);
    return database.url;
  };

  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  it('has a row in each of its tables', async () => {
    const dataSource = await openDatabase(await build(), release);
    const contents = await readContents(dataSource, release.rows);
    const empty = (await tablesOf(dataSource)).filter((table) => !contents.get(table)?.length);
    await dataSource.destroy();
    expect(empty).toEqual([]);
  });

  it('is migrated to the current schema with all its data', async () => {
    const dataSource = await openDatabase(await build());
    const before = await readContents(dataSource, release.rows, release.rewritten);
    await dataSource.runMigrations();
    expect(await readContents(dataSource, release.rows, release.rewritten)).toEqual(before);
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    // The entities can read each row.
    for (const { target, tableName } of dataSource.entityMetadatas) {
      const rows = await dataSource.getRepository(target).find({ withDeleted: true });
      expect([tableName, rows.length]).toEqual([tableName, expect.any(Number)]);
      expect(rows.length).toBeGreaterThanOrEqual(release.rows[tableName]?.length ?? 0);
    }
    await dataSource.destroy();
  });

  describe('under the current service', () => {
    let app: TestApp;

    beforeAll(async () => {
      app = await startTestApp({ DATABASE_URL: await build() });
    });

    afterAll(() => app.close());

    const logIn = async (email: string): Promise<string> => {
      const answer = await call<TokenPairDto>(`${app.url}/auth/login`, { body: { email, password: PASSWORD } });
      expect(answer.status).toBe(200);
      return answer.body.access_token;
    };

    it('lets users log in, and continue reading and writing', async () => {
      const token = await logIn('ada@example.com');
      const { body: chat } = await call<ChatWithMessagesDto>(`${app.url}/chat/1`, { token });
      expect(chat.title).toBe('Ada and the engine');
      const told = chat.messages.map(({ role, content }) => `${role}: ${content}`);
      expect(told).toContain('user: What is an engine? ✓ 发动机');
      const sent = { chat_id: 1, content: 'And now?' };
      expect((await call(`${app.url}/chat/message`, { token, body: sent })).status).toBe(200);
      const { body: usage } = await call(`${app.url}/user/usage-stats`, { token });
      expect(usage).toMatchObject({ total_stats: { total_messages: 6, total_chats: 1 } });
      const { body: webhooks } = await call(`${app.url}/webhooks`, { token });
      expect(webhooks).toMatchObject({ data: { items: [{ url: 'https://receiver.example.com/hook' }] } });
      const endpoint = await app.app.get(Database).repository(WebhookEndpointEntity).findOneByOrFail({ id: 1 });
      expect(app.app.get(SecretCipher).canDecrypt(endpoint.secret)).toBe(true);
    });

    it('shows administrators its original data', async () => {
      const token = await logIn('grace@example.com');
      for (const [path, text] of [
        ['/admin/users', 'ada@example.com'],
        ['/admin/audit_logs', 'agent.create'],
        ['/admin/feedback', 'good'],
        ['/agents', 'Knows all engines'],
        ['/agents/6/versions', 'You know engines.'],
        ['/admin/settings', 'registration_enabled'],
      ]) {
        const answer = await call(`${app.url}${path}`, { token });
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.text).toContain(text);
      }
    });
  });
});
