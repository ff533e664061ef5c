import { startMariadbServer } from '../support/servers/mariadb-server';
import { makeTemplate } from '../support/servers/migrated-database';
import { keepForRun } from './run-resources';

/** Starts this run's private MariaDB. */
export default async function setUp(): Promise<void> {
  const server = await startMariadbServer();
  keepForRun('mariadb', server.serverUrl, server);
  await makeTemplate('mariadb');
}
