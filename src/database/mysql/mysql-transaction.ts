import type { PoolConnection } from 'mysql2';
import type { DataSource, EntityManager } from 'typeorm';
import type { Driver } from 'typeorm/driver/Driver';
import { runStatement } from '../statements/run-statement';
import type { ServicePool } from './mysql-driver';

/**
 * Commits all of `work` or nothing, on a connection for transactions: its first statement begins one. TypeORM's own way also
 * tells subscribers of each step, which the service has none of.
 */
export async function transactOnMysql<Result>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  const { manager } = runner;
  const connection = await connectionFor(dataSource);
  // TypeORM's methods begin a transaction of their own unless they know of one.
  Object.assign(runner, { databaseConnection: connection, isTransactionActive: true, transactionDepth: 1 });
  try {
    const result = await work(manager);
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

function connectionFor({ driver }: DataSource): Promise<PoolConnection> {
  const { pool } = driver as Driver & { pool: ServicePool };
  return new Promise((resolve, reject) => {
    pool.transactions.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
  });
}
