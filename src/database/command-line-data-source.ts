import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { Features, type ImportedModule } from '../common/features/features';
import { readEnvironment } from '../config/read-environment';
import { connectionSettings } from './connection/connection-settings';
import { dataSourceOptions } from './connection/data-source-options';
import { DatabaseConfig } from './database.config';
import { detectMysqlFlavour } from './mysql/mysql-server';
import { keepPrivate } from './sqlite/private-files';

const SOURCES = join(__dirname, '..');

/**
 * For the TypeORM command line (`ormconfig.ts`); the service itself opens its database in another way.
 *
 * @param features from outside of the service, with their migrations; their entities are those that they have loaded
 */
export async function commandLineDataSource(features: readonly ImportedModule[] = []): Promise<DataSource> {
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
    ...dataSourceOptions(settings, entities, Features.of(features).all('migrations')),
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
