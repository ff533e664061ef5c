import type Libsql from 'libsql';
import { type DataSource, QueryFailedError } from 'typeorm';
import type { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';
import { DateUtils } from 'typeorm/util/DateUtils';
import { reportSlow } from '../connection/slow-query-logger';
import type { StatementResult, StatementValue } from '../connection/statement-result';

/*
 * libsql as a driver. Values are bound as by better-sqlite3, for which TypeORM takes it, and statements run directly on
 * the connection.
 */

/**
 * Makes a libsql connection bind values like better-sqlite3. libsql itself reads a single NULL as a set of named
 * parameters, and a boolean ends the process.
 *
 * @borrowed libsql-binding
 */
export function bindSafely(connection: Libsql.Database): void {
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((sql: string) => {
    const statement = prepare(sql);
    const run = statement.run.bind(statement);
    const all = statement.all.bind(statement);
    statement.run = (...parameters: unknown[]) => run(parameters.map(bindable));
    statement.all = (...parameters: unknown[]) => all(parameters.map(bindable));
    return statement;
  }) as typeof connection.prepare;
}

/** Converts a value to a type that libsql binds. */
export function bindable(value: unknown): unknown {
  if (typeof value === 'boolean' || typeof value === 'bigint') {
    return Number(value);
  }
  if (value instanceof Date) {
    return DateUtils.mixedDateToUtcDatetimeString(value);
  }
  return value ?? null;
}

/**
 * Makes TypeORM bind whole numbers on SQLite. Otherwise it writes them into the text of the statement. Each id then
 * makes a new statement, which must be parsed and removes others from the cache.
 *
 * @borrowed typeorm-runner
 */
export function bindNumbers(dataSource: DataSource): DataSource {
  const { driver } = dataSource;
  const escape = driver.escapeQueryWithParameters.bind(driver);
  driver.escapeQueryWithParameters = (sql, parameters) => escape(sql, boundNumbers(parameters));
  return dataSource;
}

/** Converts whole numbers to BigInts, which TypeORM passes to the driver. SQLite reads them as integers. */
function boundNumbers(parameters: Record<string, unknown> = {}): Record<string, unknown> {
  const bound: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    bound[name] = Number.isSafeInteger(value) ? BigInt(value as number) : value;
  }
  return bound;
}

interface Prepared {
  statement: Libsql.Statement;
  returnsRows: boolean;
}

type PrepareMethod = (this: Libsql.Database, sql: string) => Libsql.Statement;

/**
 * The prepared statements of a connection, by text. Each statement is read in one way only: after a failed `get` or an
 * `all`, libsql 0.5 ignores the values passed to the next `get` and uses the statement's earlier values.
 */
interface PreparedTexts {
  forRow: Map<string, Prepared>;
  forRows: Map<string, Prepared>;
}

const preparedOn = new WeakMap<Libsql.Database, PreparedTexts>();

// oxlint-disable-next-line typescript/require-await -- Callers await it, because MySQL's statements take time.
export async function runOnSqlite(
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
    // It would fail again, or return results for the values that it has now.
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

/**
 * Rows as arrays, which take libsql a third less time than objects.
 *
 * @borrowed libsql-binding
 */
function prepare(connection: Libsql.Database, sql: string, statements: Map<string, Prepared>): Prepared {
  let prepared = statements.get(sql);
  if (prepared === undefined) {
    // The method of the class. The connection's own method would convert the values again (`bindSafely`).
    const { prepare: ofClass } = Object.getPrototypeOf(connection) as { prepare: PrepareMethod };
    const statement = ofClass.call(connection, sql);
    const returnsRows = statement.reader;
    prepared = { statement: returnsRows ? statement.raw() : statement, returnsRows };
    statements.set(sql, prepared);
  }
  return prepared;
}
