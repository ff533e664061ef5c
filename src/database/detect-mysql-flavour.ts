import * as mysql2 from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import type { MysqlSettings } from './connection-settings';

/**
 * Tells TypeORM whether the server is MySQL or MariaDB, which describe their schema in different words. Only the server
 * knows, so it is asked before the data source opens.
 */
export async function detectMysqlFlavour(dataSource: DataSource, settings: MysqlSettings): Promise<void> {
  const connection = await mysql2.createConnection({
    host: settings.host,
    port: settings.port,
    user: settings.username,
    password: settings.password,
    database: settings.database,
    ssl: settings.ssl ? {} : undefined,
    connectTimeout: 3_000,
  });
  try {
    const [rows] = await connection.query<mysql2.RowDataPacket[]>('SELECT VERSION() AS version');
    const type = String(rows[0]?.version).includes('MariaDB') ? 'mariadb' : 'mysql';
    // The driver copied its options when it was made.
    Object.assign(dataSource.options, { type });
    Object.assign(dataSource.driver.options, { type });
  } finally {
    await connection.end();
  }
}
