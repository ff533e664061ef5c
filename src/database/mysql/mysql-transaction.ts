import type { PoolConnection } from 'mysql2';
import type { DataSource, EntityManager } from 'typeorm';
import type { Driver } from 'typeorm/driver/Driver';
import { MINUTE_MILLISECONDS } from '../../common/time';
import { DatabaseUnavailableError } from '../database.errors';
import { runStatement } from '../statements/run-statement';
import type { ServicePool } from './mysql-driver';

/**
 * A longer transaction is rolled back. Readers that follow the order of ids, such as the search index, wait two minutes
 * for lower ids.
 */
const LONGEST_MILLISECONDS = MINUTE_MILLISECONDS;

/** The connections of a transaction: those of all others, or the one that is reserved for signs of life. */
export type WriteKind = 'transactions' | 'signs';

/**
 * Commits all of `work` or nothing, on a connection for transactions, whose first statement begins one. TypeORM's own
 * way also notifies subscribers of each step, of which the service has none.
 *
 * @borrowed typeorm-runner
 */
export async function transactOnMysql<Result>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<Result>,
  kind: WriteKind,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  const { manager } = runner;
  const began = performance.now();
  const connection = await connectionFor(dataSource, kind);
  // TypeORM's methods begin their own transaction unless they know of an open one.
  Object.assign(runner, { databaseConnection: connection, isTransactionActive: true, transactionDepth: 1 });
  try {
    const result = await work(manager);
    if (performance.now() - began > LONGEST_MILLISECONDS) {
      throw new DatabaseUnavailableError('A transaction took too long.');
    }
    await runStatement(manager, 'COMMIT', []);
    return result;
  } catch (error) {
    // A connection with an open transaction must not be reused. The server ends the transaction when the connection
    // closes.
    await runStatement(manager, 'ROLLBACK', []).catch(() => connection.destroy());
    throw error;
  } finally {
    await runner.release();
  }
}

function connectionFor({ driver }: DataSource, kind: WriteKind): Promise<PoolConnection> {
  const { pool } = driver as Driver & { pool: ServicePool };
  return new Promise((resolve, reject) => {
    pool[kind].getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
  });
}
