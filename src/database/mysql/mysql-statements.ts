import type { Pool, PoolConnection, ResultSetHeader } from 'mysql2';
import { type EntityManager, QueryFailedError, type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { Driver } from 'typeorm/driver/Driver';
import { reportSlow } from '../connection/slow-query-logger';
import type { StatementResult, StatementValue } from '../connection/statement-result';
import { DatabaseUnavailableError } from '../database.errors';

/** MySQL's server does not parse a prepared statement again, which is a quarter of its work for a short one. */
export function runOnMysql(
  manager: EntityManager,
  sql: string,
  values: readonly StatementValue[],
): Promise<StatementResult> {
  const { dataSource } = manager;
  const began = Date.now();
  return new Promise((resolve, reject) => {
    const { timeLimit, executor } = mysqlConnection(manager);
    // MySQL does not prepare this one.
    const method = sql === 'ROLLBACK' ? 'query' : 'execute';
    const options = { sql, values: values as StatementValue[], timeout: timeLimit };
    executor[method](options, (error, raw) => {
      reportSlow(dataSource, sql, values, began);
      if (error) {
        const isWithoutConnection = error instanceof DatabaseUnavailableError;
        reject(isWithoutConnection ? error : new QueryFailedError(sql, values as StatementValue[], error));
      } else if (Array.isArray(raw)) {
        resolve({ rows: raw as unknown[][], affected: 0, insertId: 0 });
      } else {
        const { affectedRows, insertId } = raw as ResultSetHeader;
        resolve({ rows: [], affected: affectedRows, insertId });
      }
    });
  });
}

/** The connection of the transaction, or the pool. A connection that was given back may be somebody else's by now. */
function mysqlConnection({ dataSource, queryRunner }: EntityManager): {
  executor: Pool | PoolConnection;
  timeLimit?: number;
} {
  const { pool, options } = dataSource.driver as Driver & { pool: Pool };
  const { maxQueryExecutionTime: timeLimit } = options;
  if (queryRunner === undefined) {
    return { executor: pool, timeLimit };
  }
  const { databaseConnection, isReleased } = queryRunner as QueryRunner & { databaseConnection: PoolConnection };
  if (isReleased) {
    throw new QueryRunnerAlreadyReleasedError();
  }
  return { executor: databaseConnection, timeLimit };
}
