import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { Features, type ImportedModule } from '../common/features/features';
import { OperatorError } from '../config/operator.error';
import { readEnvironment } from '../config/read-environment';
import { type ConnectionSettings, connectionSettings } from './connection/connection-settings';
import { dataSourceOptions } from './connection/data-source-options';
import { DatabaseConfig } from './database.config';
import { detectMysqlFlavour } from './mysql/mysql-server';
import { keepPrivate } from './sqlite/private-files';

const SOURCES = join(__dirname, '..');

/** The command does not run in the service's environment. */
export class NoServiceError extends OperatorError {
  override readonly name = 'NoServiceError';

  constructor(settings: ConnectionSettings) {
    const place = settings.dialect === 'sqlite' ? settings.file : `${settings.database} on ${settings.host}`;
    super(`The service has no tables in ${place}: run this in the folder of the service, with its DATABASE_URL.`);
  }
}

/**
 * For the TypeORM command line (`ormconfig.ts`). The service itself opens its database differently.
 *
 * @param features modules outside the service, with their migrations; their entities must be loaded already
 */
export async function commandLineDataSource(features: readonly ImportedModule[] = []): Promise<DataSource> {
  // Loaded first, because the columns must be declared before they get the types of the engine.
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (/\.entity\.[jt]s$/.test(file)) {
      await import(join(SOURCES, file));
    }
  }
  const settings = ownSettings();
  const entities = getMetadataArgsStorage().tables.map(({ target }) => target);
  const source = new DataSource({
    ...dataSourceOptions(settings, entities, Features.of(features).all('migrations')),
    // The command line reports its progress through the logger.
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

/**
 * An open data source for a command that changes the service's data. Does not create a database.
 *
 * @throws NoServiceError
 */
export async function openServiceDatabase(): Promise<DataSource> {
  const settings = ownSettings();
  if (settings.dialect === 'sqlite' && !existsSync(settings.file)) {
    throw new NoServiceError(settings);
  }
  const source = await (await commandLineDataSource()).initialize();
  try {
    const runner = source.createQueryRunner();
    const isThere = await runner.hasTable('service_settings');
    await runner.release();
    if (!isThere) {
      throw new NoServiceError(settings);
    }
    return source;
  } catch (error) {
    await source.destroy();
    throw error;
  }
}

function ownSettings(): ConnectionSettings {
  const { DATABASE_URL = new DatabaseConfig().DATABASE_URL } = readEnvironment();
  return connectionSettings(DATABASE_URL);
}
