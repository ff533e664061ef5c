import { Logger } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { connect } from '../../src/database/connection/open-data-source';
import { migrate } from '../../src/database/migrating/migrate';
import { buildDatabase } from '../support/releases/release-database';
import { RELEASES } from '../support/releases/releases';
import { createTestDatabase, databaseEngine } from '../support/servers/test-database';

/** What may change the database; what only reads can be cut anywhere. */
const READS = /^\s*(SELECT|SHOW|PRAGMA)\b/i;

const CUT = 'The process ends here.';

describe.each([['nothing', undefined] as const, ['the first release', RELEASES[0]] as const])(
  'migrations from %s',
  (_name, release) => {
    beforeAll(() => {
      Logger.overrideLogger(false);
    });
    afterAll(() => {
      Logger.overrideLogger(true);
    });

    const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];

    afterAll(() => Promise.all(databases.map((database) => database.drop())));

    const make = async (): Promise<string> => {
      const database = await createTestDatabase();
      databases.push(database);
      if (release !== undefined) {
        await buildDatabase(database.url, release);
      }
      return database.url;
    };

    it('go on wherever they were cut, and end with the same schema and the same rows', async () => {
      const [whole, cut] = [await make(), await make()];
      await run(whole);
      const done = new Set<string>();
      while (!(await run(cut, done)));
      // More than one statement for each migration.
      expect(done.size).toBeGreaterThan(60);
      expect(await contents(cut)).toEqual(await contents(whole));
    });
  },
);

/**
 * Migrates in a connection of its own.
 *
 * @param done statements behind which it was cut already: behind the first other one it is cut, as by the end of the process
 * @returns false when it was cut
 */
async function run(url: string, done?: Set<string>): Promise<boolean> {
  const settings = connectionSettings(url);
  const dataSource = new DataSource(dataSourceOptions(settings, []));
  await connect(dataSource, settings);
  if (done !== undefined) {
    const create = dataSource.createQueryRunner.bind(dataSource);
    const runners = new Map<QueryRunner, QueryRunner>();
    jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
      const runner = create(mode);
      const known = runners.get(runner) ?? cutting(runner, done);
      runners.set(runner, known);
      return known;
    });
  }
  try {
    await migrate(dataSource, settings);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message === CUT) {
      return false;
    }
    throw error;
  } finally {
    await dataSource.destroy();
  }
}

/** A dead process does nothing any more, and the transaction that is open is taken back: by the server, or from SQLite's log. */
function cutting(runner: QueryRunner, done: Set<string>): QueryRunner {
  const query = runner.query.bind(runner);
  let migration = 0;
  let isDead = false;
  return Object.assign(runner, {
    query: async (...statement: Parameters<QueryRunner['query']>) => {
      const [sql, parameters] = statement as [string, unknown[] | undefined];
      if (isDead && !(sql === 'ROLLBACK' && databaseEngine() === 'sqlite')) {
        throw new Error(CUT);
      }
      const result: unknown = await query(...statement);
      migration += Number(sql.startsWith('START TRANSACTION') || sql.startsWith('BEGIN'));
      const key = JSON.stringify([migration, sql, parameters?.map(String)]);
      if (!READS.test(sql) && !done.has(key)) {
        done.add(key);
        isDead = true;
        throw new Error(CUT);
      }
      return result;
    },
  });
}

/** How the tables are made, and their rows. */
async function contents(url: string): Promise<Record<string, unknown>> {
  const settings = connectionSettings(url);
  const dataSource = await new DataSource(dataSourceOptions(settings, [])).initialize();
  const isSqlite = databaseEngine() === 'sqlite';
  const tables = await dataSource.query<{ name: string; sql?: string }[]>(
    isSqlite
      ? "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name',
  );
  const found: Record<string, unknown> = {};
  for (const { name, sql } of tables.filter((table) => table.name !== 'migration_lease')) {
    const [made] = isSqlite ? [] : await dataSource.query<Record<string, string>[]>(`SHOW CREATE TABLE ${name}`);
    found[name] = sql ?? made?.['Create Table']?.replace(/AUTO_INCREMENT=\d+ /, '');
    if (!isSqlite || sql?.startsWith('CREATE TABLE')) {
      const rows = await dataSource.query<object[]>(`SELECT * FROM ${name}`);
      found[`rows of ${name}`] = rows
        .map((row) => JSON.stringify({ ...row, ...(name === 'migrations' && { id: 0 }) }))
        .sort();
    }
  }
  await dataSource.destroy();
  return found;
}
