import type { PoolConnection } from 'mysql2';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { runStatement } from './statements';

/**
 * Commits all of `work` or nothing, on a connection of its own. TypeORM's own way also tells subscribers of each step, which
 * the service has none of.
 */
export async function transactOnMysql<Result>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  const { manager } = runner;
  const connection = (await runner.connect()) as PoolConnection;
  try {
    await runStatement(manager, 'START TRANSACTION', []);
    markTransaction(runner);
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

/** TypeORM's methods begin a transaction of their own unless they know of one. */
function markTransaction(runner: QueryRunner): void {
  Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
}
