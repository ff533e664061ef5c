import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { connectionSettings } from '../../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../../src/database/connection/data-source-options';
import { connect } from '../../../src/database/connection/database-opening';
import { migrate } from '../../../src/database/migrating/migrate';
import { type TestDatabase } from './sql-server';
import { createTestDatabase, type DatabaseEngine, databaseEngine, databaseLocation } from './test-database';

/** The name of the template on a server; its account reaches only names with this prefix. */
const TEMPLATE = 'test_template';

/** A worker reads the statements once, and its test files, which load this module again, find them here. */
declare global {
  var templateScripts: Partial<Record<DatabaseEngine, string>> | undefined;
}

/**
 * Creates the template, the database that `createMigratedDatabase()` copies, by running all migrations once. Part of
 * the global setup of an engine.
 */
export async function makeTemplate(engine: DatabaseEngine): Promise<void> {
  const location = databaseLocation(engine);
  if (engine !== 'sqlite') {
    await withServer(location, (connection) => connection.query(`CREATE DATABASE ${TEMPLATE}`));
  }
  const settings = connectionSettings(engine === 'sqlite' ? `sqlite:${templateFile(location)}` : templateUrl(location));
  const dataSource = new DataSource(dataSourceOptions(settings, []));
  await connect(dataSource, settings);
  // The setup has no output of its own.
  Logger.overrideLogger(false);
  await migrate(dataSource, settings);
  await dataSource.destroy();
}

/**
 * Creates a database that already has the schema, so that the service starts on it as on its second start. Copying the
 * template is much faster than running all migrations. Tests of migrations start with `createTestDatabase()`, which is
 * empty.
 */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const location = databaseLocation(databaseEngine());
  const database = await createTestDatabase();
  const settings = connectionSettings(database.url);
  if (settings.dialect === 'sqlite') {
    await copyFile(templateFile(location), settings.file, constants.COPYFILE_FICLONE);
  } else {
    await withServer(location, async (connection) => {
      globalThis.templateScripts ??= {};
      const script = (globalThis.templateScripts[databaseEngine()] ??= await templateScript(connection));
      await connection.query(`USE ${settings.database}; ${script}`);
    });
  }
  return database;
}

/** The statements that create a database like the template. */
async function templateScript(connection: Connection): Promise<string> {
  const rows = async (statement: string): Promise<RowDataPacket[]> =>
    (await connection.query<RowDataPacket[]>(statement))[0];
  const [schema] = await rows(
    `SELECT default_collation_name AS collation FROM information_schema.schemata WHERE schema_name = '${TEMPLATE}'`,
  );
  // Tables reference each other, and are listed by name.
  const statements = [`ALTER DATABASE COLLATE ${String(schema?.collation)}`, 'SET foreign_key_checks = 0'];
  for (const names of await rows(`SHOW TABLES FROM ${TEMPLATE}`)) {
    const table = String(Object.values(names)[0]);
    const [made] = await rows(`SHOW CREATE TABLE ${TEMPLATE}.${table}`);
    statements.push(String(made?.['Create Table']));
    const [{ count }] = (await rows(`SELECT count(*) AS count FROM ${TEMPLATE}.${table}`)) as [{ count: number }];
    if (count > 0) statements.push(`INSERT INTO ${table} SELECT * FROM ${TEMPLATE}.${table}`);
  }
  return statements.join('; ');
}

function templateFile(folder: string): string {
  return join(folder, 'template.sqlite');
}

function templateUrl(serverUrl: string): string {
  return new URL(`/${TEMPLATE}`, serverUrl).href;
}

async function withServer(serverUrl: string, use: (connection: Connection) => Promise<unknown>): Promise<void> {
  const connection = await createConnection({ uri: serverUrl, multipleStatements: true });
  await use(connection);
  await connection.end();
}
