import { makeTemplate } from '../support/servers/migrated-database';
import { startMysqlServer } from '../support/servers/mysql-server';
import { keepForRun } from './run-resources';

/** Starts this run's private MySQL. */
export default async function setUp(): Promise<void> {
  const server = await startMysqlServer();
  keepForRun('mysql', server.serverUrl, server);
  await makeTemplate('mysql');
}
