import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSqlDatabase, type TestDatabase } from './sql-server';

/** The engines the end-to-end tests run on; one jest project each. */
export type DatabaseEngine = 'sqlite' | 'mariadb' | 'mysql';

/** What a project's global setup hands to its test files: where to make databases. */
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

/** Where the global setup of this engine has databases made: a folder, or the URL of a server. */
export function databaseLocation(engine: DatabaseEngine): string {
  const location = process.env[locationVariables[engine]];
  if (location === undefined) throw new Error(`the global setup of ${engine} did not run`);
  return location;
}

/**
 * Makes an empty database of the running project's engine, shared with nobody. Call it once per test file, and `drop()`
 * it in `afterAll`, after the application is closed.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const engine = databaseEngine();
  const location = databaseLocation(engine);
  if (engine === 'sqlite') {
    return createSqliteDatabase(location);
  }
  const { url } = await createSqlDatabase(location);
  // A machine that stands still for seconds is no fault of the service: what waits for a connection here gets one.
  // It goes with the server when the run ends: to drop it alone takes half a second.
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
