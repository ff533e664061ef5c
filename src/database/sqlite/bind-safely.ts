import type Libsql from 'libsql';
import { DateUtils } from 'typeorm/util/DateUtils';

/**
 * Makes a libsql connection bind values like better-sqlite3. libsql itself reads a single NULL as a set of named
 * parameters, and a boolean ends the process.
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

/** A value as libsql binds it. */
export function bindable(value: unknown): unknown {
  if (typeof value === 'boolean' || typeof value === 'bigint') {
    return Number(value);
  }
  if (value instanceof Date) {
    return DateUtils.mixedDateToUtcDatetimeString(value);
  }
  return value ?? null;
}
