// @databases mariadb mysql: migrations
import { DataSource } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { detectMysqlFlavour } from '../../src/database/mysql/mysql-server';
import { createTestDatabase } from '../support/servers/test-database';

const AT = '2026-01-31 09:30:00.000';

describe('conversations from a version before branches', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    const settings = connectionSettings(database.url);
    dataSource = new DataSource(dataSourceOptions(settings, []));
    if (settings.dialect === 'mysql') {
      await detectMysqlFlavour(dataSource, settings);
    }
    await dataSource.initialize();
    await dataSource.runMigrations();
    while ((await migrations()).includes('Lines1700000001000')) {
      await dataSource.undoLastMigration();
    }
  });

  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  async function migrations(): Promise<string[]> {
    const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    return rows.map(({ name }) => name);
  }

  function insert(table: string, row: Record<string, number | string | null>): Promise<unknown> {
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    return dataSource.query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`, Object.values(row));
  }

  const storeChat = (id: number) =>
    insert('chats', {
      id,
      user_id: 1,
      agent_id: 1,
      title: 'Old',
      has_placeholder_title: 0,
      is_pinned: 0,
      is_archived: 0,
      tags: '[]',
      message_count: 0,
      created_at: AT,
      updated_at: AT,
    });

  const storeMessage = (id: number, chatId: number, position: number, parentId: number | null, isCurrent = 1) =>
    insert('chat_messages', {
      id,
      chat_id: chatId,
      position,
      role: parentId === null ? 'user' : 'assistant',
      status: 'completed',
      parent_id: parentId,
      is_current: isCurrent,
      token_count: 1,
      content: 'kept',
      created_at: AT,
      updated_at: AT,
    });

  it('have them after the migration: the same messages are shown, and each follows the one before it', async () => {
    await Promise.all([1, 2, 3].map(storeChat));
    await storeMessage(1, 1, 0, null);
    await storeMessage(2, 1, 0, 1, 0);
    await storeMessage(3, 2, 0, null);
    await storeMessage(4, 1, 2, null);
    await storeMessage(5, 2, 0, 3);
    await storeMessage(6, 1, 2, 4);
    // The reply to the first message was regenerated after the second.
    await storeMessage(7, 1, 0, 1);
    await dataSource.runMigrations();
    const messages = await dataSource.query<{ id: number; parent_id: number | null; content: string }[]>(
      'SELECT id, parent_id, content FROM chat_messages ORDER BY id',
    );
    expect(messages.map(({ id, parent_id }) => [id, parent_id])).toEqual([
      [1, null],
      [2, 1],
      [3, null],
      [4, 7],
      [5, 3],
      [6, 4],
      [7, 1],
    ]);
    expect(messages.every(({ content }) => content === 'kept')).toBe(true);
    const chats = await dataSource.query<object[]>('SELECT id, line_end_id FROM chats ORDER BY id');
    expect(chats).toEqual([
      { id: 1, line_end_id: 6 },
      { id: 2, line_end_id: 5 },
      { id: 3, line_end_id: null },
    ]);
  });
});
