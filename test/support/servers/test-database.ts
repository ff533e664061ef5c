import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSqlDatabase, type TestDatabase } from './sql-server';

/** The engines of the end-to-end tests; one jest project each. */
export type DatabaseEngine = 'sqlite' | 'mariadb' | 'mysql';

/** The parent of new databases, which a project's global setup passes to its test files. */
export const locationVariables: Record<DatabaseEngine, string> = {
  sqlite: 'TEST_SQLITE_FOLDER',
  mariadb: 'TEST_MARIADB_URL',
  mysql: 'TEST_MYSQL_URL',
};

declare global {
  /** The engine of the running jest project; jest sets it as a global of every test file. */
  var databaseEngine: DatabaseEngine;
}

export function databaseEngine(): DatabaseEngine {
  return globalThis.databaseEngine;
}

/** Where the global setup of this engine creates databases: a folder, or the URL of a server. */
export function databaseLocation(engine: DatabaseEngine): string {
  const location = process.env[locationVariables[engine]];
  if (location === undefined) throw new Error(`the global setup of ${engine} did not run`);
  return location;
}

/**
 * Creates an empty database on the running project's engine, which is not shared. Call it once per test file, and
 * `drop()` it in `afterAll`, after the application is closed.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const engine = databaseEngine();
  const location = databaseLocation(engine);
  if (engine === 'sqlite') {
    return createSqliteDatabase(location);
  }
  const { url } = await createSqlDatabase(location);
  // A machine that stalls for seconds is not an error of the service, so requests wait for a connection here. The
  // database is removed with the server at the end of the run: dropping it alone takes half a second.
  return { url: `${url}?wait=99`, drop: () => Promise.resolve() };
}

async function createSqliteDatabase(parentFolder: string): Promise<TestDatabase> {
  const folder = join(parentFolder, randomBytes(6).toString('hex'));
  await mkdir(folder);
  return {
    url: `sqlite:${join(folder, 'test.sqlite')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}
