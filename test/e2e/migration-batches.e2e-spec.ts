// @databases mariadb: migrations
// @part rest: migrates hundreds of databases
import { Logger } from '@nestjs/common';
import { type Cutting, migrateUntil, schemaAndRows } from '../support/releases/cut-migrations';
import { buildDatabase, openDatabase } from '../support/releases/release-database';
import { createTestDatabase, databaseEngine } from '../support/servers/test-database';

const AT = "'2026-01-31 09:30:00.000'";
const isSqlite = databaseEngine() === 'sqlite';

/** The batches of the migration that gives conversations their branches. */
const LINE_ENDS = /^UPDATE chats .*line_end_id/s;

/** SQL that inserts rows into a table. */
interface Seed {
  table: string;
  columns: string;
  count: number;
  /** The values of a row by its number, from 1. */
  row: (number: number) => string;
}

const USERS: Omit<Seed, 'count'> = {
  table: 'users',
  columns:
    'id, username, username_key, email, user_type, membership_type, status, settings, created_at, updated_at, deleted_at, erase_at',
  // The third of every three was erased, and the second is closed and can be reopened.
  row: (id) =>
    `${id}, 'u${id}', 'u${id}', 'u${id}@example.com', '${id === 1 ? 'admin' : 'normal'}', 'free', 'active', '{}', ${AT}, ${AT}, ` +
    `${id % 3 === 1 ? 'NULL' : AT}, ${id % 3 === 2 ? "'2099-01-01 00:00:00.000'" : 'NULL'}`,
};

describe('a migration that changes many rows', () => {
  const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  afterAll(async () => {
    Logger.overrideLogger(true);
    await Promise.all(databases.map((database) => database.drop()));
  });

  const make = async (lastMigration: string, seeds: Seed[]): Promise<string> => {
    const database = await createTestDatabase();
    databases.push(database);
    await buildDatabase(database.url, { name: lastMigration, lastMigration, rows: {} });
    for (const { table, columns, count, row } of seeds) {
      const rows = Array.from({ length: count }, (_, index) => `(${row(index + 1)})`).join();
      await query(database.url, `INSERT INTO ${table} (${columns}) VALUES ${rows}`);
    }
    return database.url;
  };

  /** The result of an uninterrupted migration. */
  const whole = async (lastMigration: string, seeds: Seed[]): Promise<Record<string, unknown>> => {
    const url = await make(lastMigration, seeds);
    await migrateUntil(url);
    return schemaAndRows(url);
  };

  it('removes the entries of erased accounts in batches, and keeps each committed batch when it is interrupted', async () => {
    const seeds: Seed[] = [
      { ...USERS, count: 3 },
      {
        table: 'usage_entries',
        columns:
          'message_id, user_id, chat_id, agent_id, role, prompt_tokens, completion_tokens, tokens, day, created_at',
        count: 4_500,
        row: (id) => `${id}, ${1 + (id % 3)}, 1, 1, 'user', 1, 0, 1, 20000, ${AT}`,
      },
    ];
    const url = await make('RequestedDeliveries1700000001100', seeds);
    const left = async () => {
      const [row] = await query<{ left: number }>(
        url,
        'SELECT COUNT(*) AS `left` FROM usage_entries WHERE user_id = 3',
      );
      return Number(row?.left);
    };
    const remove = /^DELETE FROM usage_entries/;
    expect([await migrateUntil(url, behind(remove, 2)), await left()]).toEqual([false, isSqlite ? 1_500 : 833]);
    expect(await migrateUntil(url, behind(remove, 2))).toBe(false);
    await migrateUntil(url);
    expect(await left()).toBe(0);
    expect(await schemaAndRows(url)).toEqual(await whole('RequestedDeliveries1700000001100', seeds));
  });

  it('subtracts chats with pending sums from the totals once, wherever it is interrupted', async () => {
    const seeds: Seed[] = [
      { table: 'usage_accounts', columns: 'user_id, total_chats', count: 1_200, row: (id) => `${id}, 9` },
      {
        table: 'usage_new_chats',
        columns: 'user_id, agent_id, day',
        count: 1_500,
        // Of 1,100 users, 400 have two.
        row: (number) => `${1 + (number % 1_100)}, 1, 20000`,
      },
    ];
    const url = await make('MessageSearch1700000001300', seeds);
    for (const place of [1, 2, 3]) {
      expect(await migrateUntil(url, behind(/^UPDATE usage_accounts/, place))).toBe(false);
    }
    const noted: Cutting = ({ sql, parameters }) =>
      /^INSERT INTO .*migrations/.test(sql) && parameters?.includes('UnsummedChats1700000001400') === true;
    expect(await migrateUntil(url, noted)).toBe(false);
    await migrateUntil(url);
    const totals = await query(url, 'SELECT total_chats, COUNT(*) AS users FROM usage_accounts GROUP BY total_chats');
    expect(totals.map((row) => Object.values(row).map(Number)).sort()).toEqual([
      [7, 400],
      [8, 700],
      [9, 100],
    ]);
    expect(await schemaAndRows(url)).toEqual(await whole('MessageSearch1700000001300', seeds));
  });

  it('searches the log for former administrators in parts', async () => {
    const were = [10, 1_500, 2_500];
    const seeds: Seed[] = [
      { ...USERS, count: 6 },
      {
        table: 'audit_logs',
        columns: 'actor_id, address, request_id, action, target_type, subject_id, state_before, created_at',
        count: 2_500,
        row: (number) => {
          const subject = were.includes(number) ? 2 + were.indexOf(number) : 'NULL';
          const before = were.includes(number) ? 'admin' : 'normal';
          return `1, '127.0.0.1', 'r', 'user.update', 'user', ${subject}, '{"user_type":"${before}"}', ${AT}`;
        },
      },
    ];
    const url = await make('ReplyPieces1700000002420', seeds);
    for (const place of [1, 2, 3]) {
      expect(await migrateUntil(url, behind(/^UPDATE users SET .* IS NULL/, place))).toBe(false);
    }
    await migrateUntil(url);
    const marked = await query<{ id: number }>(url, 'SELECT id FROM users WHERE administrator_since = created_at');
    expect(marked.map(({ id }) => Number(id)).sort()).toEqual([1, 2, 3, 4]);
    expect(await schemaAndRows(url)).toEqual(await whole('ReplyPieces1700000002420', seeds));
  });

  it('keeps its batches even in a run that finds the schema changed, and continues after them', async () => {
    const message =
      'chat_id, position, role, status, parent_id, is_current, token_count, content, created_at, updated_at';
    const seeds: Seed[] = [
      {
        table: 'chats',
        columns:
          'id, user_id, agent_id, title, has_placeholder_title, is_pinned, is_archived, tags, message_count, created_at, updated_at',
        count: 1_200,
        row: (id) => `${id}, 1, 1, 'Old', 0, 0, 0, '[]', 1, ${AT}, ${AT}`,
      },
      {
        table: 'chat_messages',
        columns: message,
        count: 2_400,
        row: (id) => `${1 + (id % 1_200)}, ${id}, 'user', 'completed', NULL, 1, 1, 'kept', ${AT}, ${AT}`,
      },
    ];
    const url = await make('Reasoning1700000000950', seeds);
    expect(await migrateUntil(url, behind(/ADD COLUMN former_line_end_id/, 1))).toBe(false);
    expect(await migrateUntil(url, behind(LINE_ENDS, 3))).toBe(false);
    if (!isSqlite) {
      const [row] = await query(url, 'SELECT COUNT(line_end_id) FROM chats');
      expect(Number(Object.values(row ?? {})[0])).toBe(1_000);
    }
    // A server has only the third batch left.
    expect(await migrateUntil(url, behind(LINE_ENDS, isSqlite ? 4 : 2))).toBe(true);
    expect(await schemaAndRows(url)).toEqual(await whole('Reasoning1700000000950', seeds));
  });
});

/** Interrupts after the first, second … matching statement. */
function behind(pattern: RegExp, place: number): Cutting {
  let seen = 0;
  return ({ sql }) => pattern.test(sql) && ++seen === place;
}

async function query<Row extends object = object>(url: string, sql: string): Promise<Row[]> {
  const dataSource = await openDatabase(url);
  try {
    return await dataSource.query<Row[]>(sql);
  } finally {
    await dataSource.destroy();
  }
}
