import { DataSource, type QueryRunner } from 'typeorm';
import { connectionSettings } from '../../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../../src/database/connection/data-source-options';
import { connect } from '../../../src/database/connection/database-opening';
import { migrate } from '../../../src/database/migrating/migrate';
import { databaseEngine } from '../servers/test-database';

const CUT = 'The process ends here.';

/** A statement of a migration run, and its migration. */
export interface Step {
  migration: number;
  sql: string;
  parameters?: unknown[];
}

/** Whether the process stops after a statement. */
export type Cutting = (step: Step) => boolean;

/**
 * Migrates in its own connection.
 *
 * @returns false if it was interrupted, as by the end of the process
 */
export async function migrateUntil(url: string, isCut?: Cutting): Promise<boolean> {
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

/** A dead process does nothing more, and the open transaction is rolled back: by the server, or from SQLite's log. */
function cutting(runner: QueryRunner, isCut: Cutting): QueryRunner {
  const query = runner.query.bind(runner);
  const beforeMigration = runner.beforeMigration.bind(runner);
  let migration = 0;
  let isDead = false;
  return Object.assign(runner, {
    beforeMigration: () => {
      migration++;
      return beforeMigration();
    },
    query: async (...statement: Parameters<QueryRunner['query']>) => {
      const [sql, parameters] = statement as [string, unknown[] | undefined];
      if (isDead && !(sql === 'ROLLBACK' && databaseEngine() === 'sqlite')) {
        throw new Error(CUT);
      }
      const result: unknown = await query(...statement);
      if (isCut({ migration, sql, parameters })) {
        isDead = true;
        throw new Error(CUT);
      }
      return result;
    },
  });
}

/** How the tables and their rows are created. */
export async function schemaAndRows(url: string): Promise<Record<string, unknown>> {
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
