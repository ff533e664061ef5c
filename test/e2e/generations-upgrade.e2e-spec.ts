import { Database } from '../../src/database/database';
import { FIRST_GENERATION_ID, GenerationEntity } from '../../src/modules/generation/generation.entity';
import { IdempotencyKeyEntity } from '../../src/modules/generation/idempotency/idempotency-key.entity';
import { UsageEntryEntity } from '../../src/modules/usage/usage-entry.entity';
import { PASSWORD } from '../support/accounts';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { buildDatabase, openDatabase } from '../support/releases/release-database';
import { RELEASES, type Rows } from '../support/releases/releases';
import { createTestDatabase } from '../support/servers/test-database';
import { startTestApp, type TestApp } from '../support/test-app';

/** As drivers write instants. */
const instant = (secondsAgo: number): string =>
  new Date(Date.now() - secondsAgo * 1_000).toISOString().replace('T', ' ').replace('Z', '');

const AT = instant(60);
const LIVING = '11111111-1111-4111-8111-111111111111';
const DEAD = '22222222-2222-4222-8222-222222222222';

/** A conversation as the earlier version hid it, with its reply: the question has the id before. */
function hidden(chatId: number, reply: Rows[string][number]): Rows {
  const id = reply.id as number;
  const common = { chat_id: chatId, position: 0, is_current: 1, created_at: AT, updated_at: AT };
  return {
    chats: [
      {
        id: chatId,
        user_id: 1,
        agent_id: 1,
        title: '',
        has_placeholder_title: 0,
        is_pinned: 0,
        is_archived: 0,
        tags: '[]',
        message_count: 2,
        line_end_id: id,
        last_reply_id: id,
        ...(reply.status === 'streaming' && { active_message_id: id }),
        created_at: AT,
        updated_at: AT,
        deleted_at: '1970-01-01 00:00:00.000',
      },
    ],
    chat_messages: [
      { ...common, id: id - 1, role: 'user', content: '', status: 'completed', token_count: 7, completed_at: AT },
      { ...common, parent_id: id - 1, role: 'assistant', token_count: 3, ...reply },
    ],
  };
}

function together(...all: Rows[]): Rows {
  const rows: Rows = {};
  for (const [table, added] of all.flatMap((one) => Object.entries(one))) {
    rows[table] = [...(rows[table] ?? []), ...added];
  }
  return rows;
}

const BEFORE = {
  name: 'with hidden conversations',
  lastMigration: 'StoredMetadata1700000002200',
  rows: together(
    RELEASES[0]!.rows,
    hidden(100, {
      id: 102,
      content: 'Kept answer.',
      status: 'completed',
      finish_reason: 'stop',
      completed_at: AT,
      steps: 't12',
    }),
    hidden(110, { id: 112, content: 'Cut ans', status: 'streaming', owner_id: DEAD }),
    hidden(120, { id: 122, content: 'Still wri', status: 'streaming', owner_id: LIVING }),
    {
      chat_idempotency_keys: [
        {
          id: 50,
          user_id: 1,
          idempotency_key: 'kept',
          fingerprint: 'x',
          chat_id: 100,
          user_message_id: 101,
          message_id: 102,
          created_at: AT,
        },
      ],
      chat_reply_owners: [{ id: LIVING, seen_at: instant(-3_600) }],
    },
  ),
};

describe('conversations that an earlier version hid', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let app: TestApp;
  let token: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    await buildDatabase(database.url, BEFORE);
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

  it('are in no trash', async () => {
    const { body } = await call(`${app.url}/chat/trash`, { token });
    expect(body).toEqual([]);
  });

  it('end when a crash has cut them', async () => {
    // It was kept for nobody, so its row goes with its end, and its tokens count.
    await eventually(async () => (await find(112)) === null);
    const entry = await app.app.get(Database).repository(UsageEntryEntity).findOneByOrFail({ messageId: 112 });
    expect(entry).toMatchObject({ status: 'interrupted', promptTokens: 7, chatId: 0 });
  });

  it('stay where they are while an instance of that version writes them', async () => {
    expect(await find(122)).toBeNull();
    const [row] = await app.app
      .get(Database)
      .manager.query<{ content: string }[]>('SELECT content FROM chat_messages WHERE id = 122');
    // On SQLite no other instance can be there: the service ends it at its start, and then erases the conversation.
    if (app.app.get(Database).isShared) {
      expect(row?.content).toBe('Still wri');
    }
  });
});
