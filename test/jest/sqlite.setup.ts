import { databaseFolder } from '../support/servers/database-folder';
import { GuardedProcess } from '../support/servers/guarded-process';
import { makeTemplate } from '../support/servers/migrated-database';
import { keepForRun } from './run-resources';

/** Creates the folder for this run's SQLite files; it is removed when the run ends for any reason. */
export default async function setUp(): Promise<void> {
  const guardedProcess = await GuardedProcess.open('chat-sqlite', databaseFolder());
  keepForRun('sqlite', guardedProcess.folder, { stop: () => guardedProcess.close() });
  await makeTemplate('sqlite');
}
