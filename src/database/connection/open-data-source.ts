import type { DataSource } from 'typeorm';
import { detectMysqlFlavour, withServerLock } from '../mysql/mysql-server';
import { bindNumbers } from '../sqlite/sqlite-driver';
import type { ConnectionSettings } from './connection-settings';

/** How long a server may take for one statement before it counts as away. Migrations may take longer. */
const STATEMENT_TIMEOUT_MILLISECONDS = 8_000;

/** Connects a data source if it is not connected yet. */
export async function connect(dataSource: DataSource, settings: ConnectionSettings): Promise<void> {
  if (dataSource.isInitialized) {
    return;
  }
  if (settings.dialect === 'mysql') {
    await detectMysqlFlavour(dataSource, settings);
  } else {
    bindNumbers(dataSource);
  }
  await dataSource.initialize();
}

/**
 * Runs the pending migrations under a lock, so instances that start together do not run them twice. On SQLite the
 * process already holds the lock on the file.
 */
export async function migrate(dataSource: DataSource, settings: ConnectionSettings): Promise<void> {
  const run = async (): Promise<void> => void (await dataSource.runMigrations());
  await (settings.dialect === 'mysql' ? withServerLock(settings, 'migrations', run) : run());
  Object.assign(dataSource.driver.options, {
    enableQueryTimeout: true,
    maxQueryExecutionTime: STATEMENT_TIMEOUT_MILLISECONDS,
  });
}
