import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { readEnvironment } from './src/config/read-environment';
import { connectionSettings } from './src/database/connection/connection-settings';
import { dataSourceOptions } from './src/database/connection/data-source-options';
import { DatabaseConfig } from './src/database/database.config';
import { detectMysqlFlavour } from './src/database/mysql/mysql-server';
import { keepPrivate } from './src/database/sqlite/private-files';

const SOURCES = join(__dirname, 'src');

async function dataSource(): Promise<DataSource> {
  // Loaded first: their columns must be known before they get the types of the engine.
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (/\.entity\.[jt]s$/.test(file)) {
      await import(join(SOURCES, file));
    }
  }
  const { DATABASE_URL = new DatabaseConfig().DATABASE_URL } = readEnvironment();
  const settings = connectionSettings(DATABASE_URL);
  const entities = getMetadataArgsStorage().tables.map(({ target }) => target);
  const source = new DataSource({
    ...dataSourceOptions(settings, entities),
    // The command line tells what it does through the logger.
    logger: 'advanced-console',
    logging: ['error', 'schema', 'migration'],
  });
  if (settings.dialect === 'mysql') {
    await detectMysqlFlavour(source, settings);
  } else {
    keepPrivate(settings.file);
  }
  return source;
}

/** For the TypeORM command line; the service itself opens its database in `src/database`. */
export default dataSource();
