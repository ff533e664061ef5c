import { startMariadbServer } from '../support/servers/mariadb-server';
import { makeTemplate } from '../support/servers/migrated-database';
import { keepForRun } from './run-resources';

/** Starts this run's private MariaDB. Its ids have gaps, as in a cluster: no code may depend on consecutive ids. */
export default async function setUp(): Promise<void> {
  const server = await startMariadbServer({ ids: { increment: 3, offset: 2 } });
  keepForRun('mariadb', server.serverUrl, server);
  await makeTemplate('mariadb');
}
