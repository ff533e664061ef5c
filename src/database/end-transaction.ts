import type Libsql from 'libsql';
import type { DataSource } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';

/**
 * Makes sure that SQLite's only connection has no open transaction after one has failed. When the disk is full, SQLite
 * itself ends the transaction, and TypeORM's ROLLBACK fails. TypeORM would then treat everything later as part of that
 * transaction: reported as done, but never committed.
 */
export function endTransaction(dataSource: DataSource): void {
  const connection = (dataSource.driver as BetterSqlite3Driver).databaseConnection as Libsql.Database;
  if (connection.inTransaction) {
    connection.exec('ROLLBACK');
  }
  Object.assign(dataSource.createQueryRunner(), { isTransactionActive: false, transactionDepth: 0 });
}
