import { Logger } from '@nestjs/common';
import { DataSource, type QueryRunner } from 'typeorm';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { connect } from '../../src/database/connection/open-data-source';
import { migrate } from '../../src/database/migrating/migrate';
import { HIDDEN_CONVERSATIONS } from '../support/releases/hidden-conversations';
import { buildDatabase } from '../support/releases/release-database';
import { type Release, RELEASES } from '../support/releases/releases';
import { createTestDatabase, databaseEngine } from '../support/servers/test-database';

/** What may change the database; what only reads can be cut anywhere. */
const READS = /^\s*(SELECT|SHOW|PRAGMA)\b/i;

/** Changes of the schema: behind one of them, a server has no transaction any more that could be taken back. */
const DEFINES = /^\s*(CREATE|ALTER|DROP)\b/i;

/** Changes of rows, but for the note that a migration is done. */
const CHANGES = /^\s*(UPDATE|DELETE|(INSERT|REPLACE)(?!\s+INTO\s+[`"]?migrations\b))/i;

const CUT = 'The process ends here.';

/** A statement of a run, and which of its migrations has it. */
interface Step {
  migration: number;
  sql: string;
  parameters?: unknown[];
}

/** Whether the process ends behind a statement. */
type Cutting = (step: Step) => boolean;

describe('migrations that are cut', () => {
  const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  afterAll(async () => {
    Logger.overrideLogger(true);
    await Promise.all(databases.map((database) => database.drop()));
  });

  const make = async (release: Release | undefined): Promise<string> => {
    const database = await createTestDatabase();
    databases.push(database);
    if (release !== undefined) {
      await buildDatabase(database.url, release);
    }
    return database.url;
  };

  it.each([
    ['nothing', undefined],
    ['the first release', RELEASES[0]],
  ])('behind any statement go on from %s, and end with the same schema and the same rows', async (_name, release) => {
    const [whole, cut] = [await make(release), await make(release)];
    await run(whole);
    const done = new Set<string>();
    while (!(await run(cut, behindOthers(done))));
    // More than one statement for each migration.
    expect(done.size).toBeGreaterThan(60);
    expect(await contents(cut)).toEqual(await contents(whole));
  });

  it.each([
    ['the first release', RELEASES[0], 2],
    ['hidden conversations', HIDDEN_CONVERSATIONS, 4],
  ])(
    'behind a change of rows, in the run that has changed the schema too, go on from %s',
    async (_name, release, most) => {
      const whole = await make(release);
      await run(whole);
      const expected = await contents(whole);
      for (let place = 1; place <= most; place++) {
        const cut = await make(release);
        let cuts = 0;
        while (!(await run(cut, behindChange(place, cuts > 0)))) {
          cuts++;
        }
        expect(cuts).toBeGreaterThan(0);
        expect(await contents(cut)).toEqual(expected);
      }
    },
  );
});

/** @param done statements behind which it was cut already: it is cut behind the first other one */
function behindOthers(done: Set<string>): Cutting {
  return ({ migration, sql, parameters }) => {
    const key = JSON.stringify([migration, sql, parameters?.map(String)]);
    const isNew = !READS.test(sql) && !done.has(key);
    done.add(key);
    return isNew;
  };
}

/**
 * Cuts a migration once behind its first, second … change of rows that follows one of the schema.
 *
 * @param resumes whether the first migration of the run was cut before
 */
function behindChange(place: number, resumes: boolean): Cutting {
  let current = 0;
  let defines = false;
  let changes = 0;
  return ({ migration, sql }) => {
    if (migration !== current) {
      [current, defines, changes] = [migration, false, 0];
    }
    defines ||= DEFINES.test(sql);
    const counts = defines && CHANGES.test(sql);
    changes += Number(counts);
    return counts && changes === place && migration > Number(resumes);
  };
}

/**
 * Migrates in a connection of its own.
 *
 * @returns false when it was cut, as by the end of the process
 */
async function run(url: string, isCut?: Cutting): Promise<boolean> {
  const settings = connectionSettings(url);
  const dataSource = new DataSource(dataSourceOptions(settings, []));
  await connect(dataSource, settings);
  if (isCut !== undefined) {
    const create = dataSource.createQueryRunner.bind(dataSource);
    const runners = new Map<QueryRunner, QueryRunner>();
    jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
      const runner = create(mode);
      const known = runners.get(runner) ?? cutting(runner, isCut);
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
function cutting(runner: QueryRunner, isCut: Cutting): QueryRunner {
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
      if (isCut({ migration, sql, parameters })) {
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
