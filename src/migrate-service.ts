import { Features } from './common/features/features';
import { loadConfiguration } from './config/load-configuration';
import { readEnvironment } from './config/read-environment';
import { connectionSettings } from './database/connection/connection-settings';
import { dataSourceOptions } from './database/connection/data-source-options';
import { DatabaseOpening } from './database/connection/database-opening';
import { ServiceDataSource } from './database/connection/service-data-source';
import { DatabaseConfig } from './database/database.config';
import type { ServiceOptions } from './start-service';

/**
 * Migrates the database as the start of the service does, and closes it. Waits for a server that is not up yet.
 *
 * @param features modules whose migrations run too
 * @throws OperatorError for faults that an operator can fix, such as a wrong setting
 */
export async function migrateService({
  features = [],
  environment = readEnvironment(),
}: ServiceOptions = {}): Promise<void> {
  const config = loadConfiguration([DatabaseConfig], environment).get(DatabaseConfig) as DatabaseConfig;
  const settings = connectionSettings(config.DATABASE_URL);
  const source = new ServiceDataSource(dataSourceOptions(settings, [], Features.of(features).all('migrations')));
  const opening = new DatabaseOpening(source, settings, { migrates: true, allowsNewer: config.ALLOW_NEWER_SCHEMA });
  try {
    await opening.start();
    await opening.whenReady();
  } finally {
    await opening.stop();
    await opening.close();
  }
}
