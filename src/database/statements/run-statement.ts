import type Libsql from 'libsql';
import type { Pool, PoolConnection, ResultSetHeader } from 'mysql2';
import {
  type DataSource,
  type EntityManager,
  QueryFailedError,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';
import type { Driver } from 'typeorm/driver/Driver';
import { isSqlite } from '../connection/dialect';
import { DatabaseUnavailableError } from '../database.errors';
import { bindable } from '../sqlite/bind-safely';

/*
 * Runs the statements that most requests need, on the connection itself. TypeORM's way to it costs more than SQLite needs
 * for a statement. Each connection prepares a text once and keeps it, so texts must be constant: never put a value into one.
 */

/** A value of a placeholder. */
export type StatementValue = string | number | boolean | Date | null;

/** What a statement returned (cells in the order of its columns), or what it did. */
export interface StatementResult {
  rows: unknown[][];
  affected: number;
  /** The id that the database gave the new row; of several rows the first on MySQL, the last on SQLite. */
  insertId: number;
}

interface Prepared {
  statement: Libsql.Statement;
  returnsRows: boolean;
}

type PrepareMethod = (this: Libsql.Database, sql: string) => Libsql.Statement;

/**
 * What a connection has prepared, by text. A statement is read in one way only: libsql 0.5 does not take the values given to
 * `get` where the call before was `all` or failed, and answers by the values that the statement had then.
 */
interface PreparedTexts {
  forRow: Map<string, Prepared>;
  forRows: Map<string, Prepared>;
}

const preparedOn = new WeakMap<Libsql.Database, PreparedTexts>();

/**
 * Runs a statement with `?` for each value: within `Database.write` in the transaction, otherwise on the connection for
 * reading. Failures are those of TypeORM's statements.
 */
export function runStatement(
  manager: EntityManager,
  sql: string,
  values: readonly StatementValue[],
): Promise<StatementResult> {
  return run(manager, sql, values, false);
}

/**
 * Runs a statement that returns at most one row, or of which only the first row matters. SQLite's driver needs one call for
 * it, and three for a list.
 */
export async function runForRow(
  manager: EntityManager,
  sql: string,
  values: readonly StatementValue[],
): Promise<unknown[] | undefined> {
  return (await run(manager, sql, values, true)).rows[0];
}

/** Runs a statement in the manager's transaction. Its text must be constant. */
export function execute(
  manager: EntityManager,
  statement: string,
  parameters: readonly StatementValue[],
): Promise<StatementResult> {
  assertWithinWrite(manager);
  return runStatement(manager, statement, parameters);
}

/** @throws outside of `Database.write` */
export function assertWithinWrite(manager: EntityManager): void {
  if (!manager.queryRunner) {
    throw new Error('Rows are written inside a unit of work only.');
  }
}

function run(
  manager: EntityManager,
  sql: string,
  values: readonly StatementValue[],
  isForRow: boolean,
): Promise<StatementResult> {
  const { dataSource } = manager;
  dataSource.logger.logQuery(sql, values as StatementValue[]);
  return isSqlite(manager) ? runOnSqlite(dataSource, sql, values, isForRow) : runOnMysql(manager, sql, values);
}

// oxlint-disable-next-line typescript/require-await -- Callers await it, because MySQL's statements take time.
async function runOnSqlite(
  dataSource: DataSource,
  sql: string,
  values: readonly StatementValue[],
  isForRow: boolean,
): Promise<StatementResult> {
  const began = Date.now();
  const connection = (dataSource.driver as BetterSqlite3Driver).databaseConnection as Libsql.Database;
  const statements = preparedTexts(connection)[isForRow ? 'forRow' : 'forRows'];
  try {
    const { statement, returnsRows } = prepare(connection, sql, statements);
    const bound = values.map(bindable);
    if (returnsRows) {
      const rows = isForRow ? [statement.get(bound)].filter(Boolean) : statement.all(bound);
      return { rows: rows as unknown[][], affected: 0, insertId: 0 };
    }
    const { changes, lastInsertRowid } = statement.run(bound);
    return { rows: [], affected: changes, insertId: Number(lastInsertRowid) };
  } catch (error) {
    // It would fail again, or answer, with the values that it has now.
    statements.delete(sql);
    throw new QueryFailedError(sql, values as StatementValue[], error as Error);
  } finally {
    reportSlow(dataSource, sql, values, began);
  }
}

function preparedTexts(connection: Libsql.Database): PreparedTexts {
  let texts = preparedOn.get(connection);
  if (texts === undefined) {
    texts = { forRow: new Map(), forRows: new Map() };
    preparedOn.set(connection, texts);
  }
  return texts;
}

/** Rows as arrays: libsql needs a third less time for them than for objects. */
function prepare(connection: Libsql.Database, sql: string, statements: Map<string, Prepared>): Prepared {
  let prepared = statements.get(sql);
  if (prepared === undefined) {
    // The method of the class. The connection's own method converts the values once more (`bindSafely`).
    const { prepare: ofClass } = Object.getPrototypeOf(connection) as { prepare: PrepareMethod };
    const statement = ofClass.call(connection, sql);
    const returnsRows = statement.reader;
    prepared = { statement: returnsRows ? statement.raw() : statement, returnsRows };
    statements.set(sql, prepared);
  }
  return prepared;
}

/** MySQL's server does not parse a prepared statement again, which is a quarter of its work for a short one. */
function runOnMysql(manager: EntityManager, sql: string, values: readonly StatementValue[]): Promise<StatementResult> {
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

function reportSlow(dataSource: DataSource, sql: string, values: readonly StatementValue[], began: number): void {
  const took = Date.now() - began;
  const { maxQueryExecutionTime: limit } = dataSource.driver.options;
  if (limit !== undefined && took > limit) {
    dataSource.logger.logQuerySlow(took, sql, values as StatementValue[]);
  }
}
