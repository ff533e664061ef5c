import type { EntityManager } from 'typeorm';
import { isSqlite } from '../connection/dialect';
import type { Statement, StatementResult, StatementValue } from '../connection/statement-result';
import type { StatementSpans } from '../connection/statement-spans';
import { runOnMysql, runTogetherOnMysql } from '../mysql/mysql-statements';
import { runOnSqlite } from '../sqlite/sqlite-driver';

/*
 * Runs the statements that most requests need directly on the connection. TypeORM's overhead exceeds the time that
 * SQLite needs for a statement. Each connection prepares a text once and caches it, so texts must be constant: never
 * put a value into one.
 *
 * @borrowed typeorm-runner
 */

/**
 * Runs a statement with `?` for each value: within `Database.write` in the transaction, otherwise on the connection for
 * reading. It fails with the same errors as TypeORM's statements.
 */
export function runStatement(
  manager: EntityManager,
  sql: string,
  values: readonly StatementValue[],
): Promise<StatementResult> {
  return run(manager, sql, values, false);
}

/**
 * Runs a statement that returns at most one row, or of which only the first row matters. SQLite's driver needs one call
 * for it, and three for a list.
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

/**
 * Runs statements in the manager's transaction, in order, up to the first that fails. Servers get them in one packet,
 * which shortens the time that their locks are held. If a statement returns rows, only the first one is returned.
 */
export async function executeTogether(
  manager: EntityManager,
  statements: readonly Statement[],
): Promise<StatementResult[]> {
  assertWithinWrite(manager);
  if (!isSqlite(manager) && statements.length > 1) {
    const sql = statements.map((statement) => statement.sql).join('; ');
    const together = (): Promise<StatementResult[]> => runTogetherOnMysql(manager, statements);
    return spans === null ? together() : spans.run(sql, together);
  }
  const results: StatementResult[] = [];
  for (const { sql, values } of statements) {
    results.push(await run(manager, sql, values, true));
  }
  return results;
}

/**
 * Changes rows by SQL in the manager's transaction. Its text need not be constant, so it is not cached: it may contain
 * ids.
 */
export async function executeOnce(
  manager: EntityManager,
  sql: string,
  parameters: readonly (StatementValue | Uint8Array)[] = [],
): Promise<void> {
  assertWithinWrite(manager);
  await manager.query(sql, [...parameters]);
}

/** @throws outside of `Database.write` */
export function assertWithinWrite(manager: EntityManager): void {
  if (!manager.queryRunner) {
    throw new Error('Rows are written inside a unit of work only.');
  }
}

let spans: StatementSpans | null = null;

/** Adds a span for each statement of this process. */
export function traceStatements(traced: StatementSpans): void {
  spans = traced;
}

function run(
  manager: EntityManager,
  sql: string,
  values: readonly StatementValue[],
  isForRow: boolean,
): Promise<StatementResult> {
  return spans === null
    ? runNow(manager, sql, values, isForRow)
    : spans.run(sql, () => runNow(manager, sql, values, isForRow));
}

function runNow(
  manager: EntityManager,
  sql: string,
  values: readonly StatementValue[],
  isForRow: boolean,
): Promise<StatementResult> {
  const { dataSource } = manager;
  dataSource.logger.logQuery(sql, values as StatementValue[]);
  return isSqlite(manager) ? runOnSqlite(dataSource, sql, values, isForRow) : runOnMysql(manager, sql, values);
}
