import type Libsql from 'libsql';
import type { DataSource } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';

/**
 * Leaves SQLite's only connection without a transaction after one has failed. SQLite itself ends a transaction for which
 * the disk has no room; TypeORM's ROLLBACK fails then, and it would take everything later for a part of that
 * transaction: acknowledged, and never committed.
 */
export function endTransaction(dataSource: DataSource): void {
  const connection = (dataSource.driver as BetterSqlite3Driver).databaseConnection as Libsql.Database;
  if (connection.inTransaction) {
    connection.exec('ROLLBACK');
  }
  Object.assign(dataSource.createQueryRunner(), { isTransactionActive: false, transactionDepth: 0 });
}
