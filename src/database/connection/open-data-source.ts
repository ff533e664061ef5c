import type { DataSource } from 'typeorm';
import { detectMysqlFlavour } from '../mysql/mysql-server';
import { bindNumbers } from '../sqlite/sqlite-driver';
import type { ConnectionSettings } from './connection-settings';

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
