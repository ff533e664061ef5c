import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMariadbServer } from '../support/servers/mariadb-server';
import { createSqlDatabase } from '../support/servers/sql-server';
import { crashWebhooks } from './webhook-crash';

/**
 * The long form of the crash test, on the built service: `npm run test:crash -- [sqlite|mariadb] [kills]`.
 */
async function run(engine = 'sqlite', kills = '200'): Promise<void> {
  const report = await (engine === 'mariadb' ? onMariadb(Number(kills)) : onSqlite(Number(kills)));
  process.stdout.write(`${JSON.stringify(report)}\n`);
  process.exitCode = report.lost.length + report.invented.length + report.renamed.length > 0 ? 1 : 0;
}

async function onSqlite(kills: number): ReturnType<typeof crashWebhooks> {
  const folder = await mkdtemp(join(tmpdir(), 'webhook-crash-'));
  try {
    return await crashWebhooks(`sqlite:${join(folder, 'test.sqlite')}`, kills);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function onMariadb(kills: number): ReturnType<typeof crashWebhooks> {
  const server = await startMariadbServer();
  try {
    const database = await createSqlDatabase(server.serverUrl);
    return await crashWebhooks(database.url, kills);
  } finally {
    await server.stop();
  }
}

void run(...process.argv.slice(2));
