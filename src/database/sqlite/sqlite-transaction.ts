import type Libsql from 'libsql';
import type { DataSource, EntityManager } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';
import { runStatement } from '../statements/run-statement';

/**
 * Commits all of `work` or nothing. TypeORM's own way also notifies subscribers of each step, of which the service has
 * none, and that takes longer than the two statements. After a failure, call `endTransaction`.
 */
export async function transactOnSqlite<Result>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  const { manager } = dataSource.createQueryRunner();
  await runStatement(manager, 'BEGIN', []);
  markTransaction(dataSource, true);
  const result = await work(manager);
  await runStatement(manager, 'COMMIT', []);
  markTransaction(dataSource, false);
  return result;
}

/**
 * Ensures that SQLite's only connection has no open transaction after one has failed. If the disk is full, SQLite
 * itself ends the transaction. TypeORM would then treat everything later as part of that transaction: reported as done,
 * but never committed.
 */
export function endTransaction(dataSource: DataSource): void {
  const connection = (dataSource.driver as BetterSqlite3Driver).databaseConnection as Libsql.Database;
  if (connection.inTransaction) {
    connection.exec('ROLLBACK');
  }
  markTransaction(dataSource, false);
}

/**
 * TypeORM's methods begin their own transaction unless they know of an open one. TypeORM has one runner for the
 * connection.
 *
 * @borrowed typeorm-runner
 */
function markTransaction(dataSource: DataSource, isTransactionActive: boolean): void {
  Object.assign(dataSource.createQueryRunner(), {
    isTransactionActive,
    transactionDepth: isTransactionActive ? 1 : 0,
  });
}
