import { join } from 'node:path';
import Libsql from 'libsql';
import type { DataSourceOptions, EntityTarget, MigrationInterface, ObjectLiteral } from 'typeorm';
import { applyDialectTypes } from '../columns';
import { pooledMysqlDriver } from '../mysql/mysql-driver';
import { bindSafely } from '../sqlite/sqlite-driver';
import { type ConnectionSettings } from './connection-settings';
import { SlowQueryLogger } from './slow-query-logger';

type Entities = EntityTarget<ObjectLiteral>[];

const MIGRATIONS = join(__dirname, '..', 'migrations', '*.{js,ts}');

/**
 * The only mapping of connection settings to TypeORM. Entities and migrations are the same for every engine.
 *
 * @param added migrations of modules outside the service
 */
export function dataSourceOptions(
  settings: ConnectionSettings,
  entities: Entities,
  added: readonly (new () => MigrationInterface)[] = [],
): DataSourceOptions {
  applyDialectTypes(settings.dialect);
  const shared = {
    entities: entities as never,
    migrations: [MIGRATIONS, ...added],
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each' as const,
    synchronize: false,
    logging: false as const,
    logger: new SlowQueryLogger(),
  };
  if (settings.dialect === 'sqlite') {
    return {
      ...shared,
      type: 'better-sqlite3',
      driver: Libsql,
      database: settings.file,
      enableWAL: true,
      prepareDatabase: (connection: Libsql.Database) => {
        // Checkpoints are safe with this setting. WalSync makes each commit durable, outside the event loop.
        connection.pragma('synchronous = NORMAL');
        // Every 16 MB, because most commits write the same pages, and a checkpoint copies each page only once.
        connection.pragma('wal_autocheckpoint = 4000');
        // Overwrites erased data, so that no copy of a deleted account remains in the file.
        connection.pragma('secure_delete = ON');
        bindSafely(connection);
      },
    };
  }
  return {
    ...shared,
    type: 'mysql',
    driver: pooledMysqlDriver(settings),
    host: settings.host,
    port: settings.port,
    username: settings.username,
    password: settings.password,
    database: settings.database,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    ssl: settings.ssl ? {} : undefined,
    connectTimeout: settings.waitSeconds * 1_000,
    poolSize: settings.poolSize,
    extra: { queueLimit: 5_000, enableKeepAlive: true },
  };
}

/** A second, read-only connection to the same SQLite file. Reads on it never see an open transaction. */
export function readerOptions(options: DataSourceOptions): DataSourceOptions {
  return {
    ...options,
    migrations: [],
    prepareDatabase: (connection: Libsql.Database) => {
      connection.pragma('query_only = ON');
      bindSafely(connection);
    },
  } as DataSourceOptions;
}
