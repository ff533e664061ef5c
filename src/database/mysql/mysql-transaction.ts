import type { PoolConnection } from 'mysql2';
import type { DataSource, EntityManager } from 'typeorm';
import type { Driver } from 'typeorm/driver/Driver';
import { MINUTE_MILLISECONDS } from '../../common/time';
import { DatabaseUnavailableError } from '../database.errors';
import { runStatement } from '../statements/run-statement';
import type { ServicePool } from './mysql-driver';

/**
 * A transaction that takes longer is taken back. Whoever reads rows in the order of their ids, as the index of the search, waits
 * two minutes for lower ones.
 */
const LONGEST_MILLISECONDS = MINUTE_MILLISECONDS;

/** Whose connections a transaction has: those of all others, or the one that is kept for signs of life. */
export type WriteKind = 'transactions' | 'signs';

/**
 * Commits all of `work` or nothing, on a connection for transactions: its first statement begins one. TypeORM's own way also
 * tells subscribers of each step, which the service has none of.
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
  // TypeORM's methods begin a transaction of their own unless they know of one.
  Object.assign(runner, { databaseConnection: connection, isTransactionActive: true, transactionDepth: 1 });
  try {
    const result = await work(manager);
    if (performance.now() - began > LONGEST_MILLISECONDS) {
      throw new DatabaseUnavailableError('A transaction took too long.');
    }
    await runStatement(manager, 'COMMIT', []);
    return result;
  } catch (error) {
    // Nobody may get the connection with an open transaction. The server ends it when the connection ends.
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
