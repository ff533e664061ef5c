import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { OperatorError } from '../../config/operator.error';
import type { ConnectionSettings } from '../connection/connection-settings';
import { withMigrationLease } from './migration-lease';

/** How long a server may take for one statement before it counts as unavailable. Migrations may take longer. */
const STATEMENT_TIMEOUT_MILLISECONDS = 8_000;

/** How often the progress of long migrations is logged. */
const REPORT_MILLISECONDS = 1_000;

/** The database belongs to a later version. The message says what the operator can do. */
export class NewerSchemaError extends OperatorError {
  override readonly name = 'NewerSchemaError';

  constructor(migrations: readonly string[]) {
    super(
      `The database was migrated by a later version of the service, or by a feature that is missing here ` +
        `(${migrations.join(', ')}). Start that version, or restore a backup of this one. ` +
        'ALLOW_NEWER_SCHEMA=true starts this version on it.',
    );
  }
}

/**
 * The names of the migrations that the database has not run yet, in their order.
 *
 * @param allowsNewer whether the database may have migrations that are later than all known ones
 * @throws NewerSchemaError
 */
export async function pendingMigrations(dataSource: DataSource, allowsNewer: boolean): Promise<string[]> {
  const executor = new MigrationExecutor(dataSource);
  const newest = Math.max(...dataSource.migrations.map(timeOf));
  const executed = await executor.getExecutedMigrations();
  const later = executed.filter(({ timestamp }) => Number(timestamp) > newest).map(({ name }) => name);
  if (later.length > 0 && !allowsNewer) {
    throw new NewerSchemaError(later);
  }
  return (await executor.getPendingMigrations()).map(({ name }) => name);
}

/** The milliseconds that the name of a migration ends with. */
function timeOf({ name, constructor }: MigrationInterface): number {
  return Number((name ?? constructor.name).slice(-13));
}

/**
 * Runs the pending migrations. If another instance runs them, this waits for it. An interrupted migration continues
 * where it stopped: on SQLite each is a transaction, and on a server completed statements are skipped. On SQLite the
 * process holds the lock on the file.
 *
 * @returns how many it ran
 * @throws DatabaseUnavailableError if another instance migrates for more than two minutes
 * @borrowed typeorm-runner
 */
export async function migrate(dataSource: DataSource, settings: ConnectionSettings): Promise<number> {
  if ((await pendingMigrations(dataSource, true)).length === 0) {
    return 0;
  }
  const logger = new Logger('Database');
  let ran = 0;
  const run = async (assertHeld?: () => Promise<void>): Promise<void> => {
    const { length: total } = await pendingMigrations(dataSource, true);
    if (total === 0) {
      return;
    }
    const runner = dataSource.createQueryRunner();
    let begun = 0;
    const unwatch = watch(runner, assertHeld, () => begun++);
    const report = (): void => logger.log(`migrating ${Math.max(begun, 1)} of ${total}`);
    report();
    const reporting = setInterval(report, REPORT_MILLISECONDS);
    const start = performance.now();
    try {
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'each';
      ran = (await executor.executePendingMigrations()).length;
      logger.log(`Migrations done: ${ran} in ${((performance.now() - start) / 1000).toFixed(1)} s.`);
    } finally {
      clearInterval(reporting);
      unwatch();
      await runner.release();
    }
  };
  await (settings.dialect === 'mysql' ? withMigrationLease(settings, run) : run());
  return ran;
}

/** From now on, a statement may take only a few seconds. TypeORM reads the limit from its options each time. */
export function limitStatements(dataSource: DataSource): void {
  Object.assign(dataSource.driver.options, {
    enableQueryTimeout: true,
    maxQueryExecutionTime: STATEMENT_TIMEOUT_MILLISECONDS,
  });
}

/**
 * Reports the start of each migration, and runs each statement only if this process may and it is not done yet.
 *
 * @returns a function that stops this, because SQLite has one runner for everything
 */
function watch(runner: QueryRunner, assertHeld: (() => Promise<void>) | undefined, onBegin: () => void): () => void {
  const query: (...statement: Parameters<QueryRunner['query']>) => Promise<unknown> = runner.query.bind(runner);
  const beforeMigration = runner.beforeMigration.bind(runner);
  Object.assign(runner, {
    query: async (...statement: Parameters<QueryRunner['query']>) => {
      await assertHeld?.();
      // Requests, such as health checks, run between two statements of SQLite.
      await nextTurn();
      return assertHeld !== undefined && (await isDone(query, statement[0])) ? [] : query(...statement);
    },
    beforeMigration: async () => {
      onBegin();
      await beforeMigration();
    },
  });
  return () => void Object.assign(runner, { query, beforeMigration });
}

/** A name with or without quotes; the database before it is ignored. */
const NAME = '(?:[`"]?\\w+[`"]?\\.)?[`"]?(\\w+)[`"]?';

type Check = [statement: string, parameters: string[]];

interface Rule {
  pattern: RegExp;
  /** Queries the number of the objects that the statement creates or removes. */
  count: (names: string[]) => Check;
  /** Whether the statement creates the object. */
  makes: boolean;
}

const tables = ([table = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
  [table],
];

const columns = ([table = '', column = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.columns ' +
    'WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?',
  [table, column],
];

const indices = ([index = '', table = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.statistics ' +
    'WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?',
  [table, index],
];

const constraints = ([table = '', constraint = '']: string[]): Check => [
  'SELECT COUNT(*) AS found FROM information_schema.table_constraints ' +
    'WHERE table_schema = DATABASE() AND table_name = ? AND constraint_name = ?',
  [table, constraint],
];

const statement = (...words: string[]): RegExp => new RegExp(`^\\s*${words.join('\\s+')}`, 'i');

/** Words that follow ADD or DROP where there is no column. */
const NO_COLUMN = '(?!(?:COLUMN|CONSTRAINT|INDEX|KEY|UNIQUE|PRIMARY|FOREIGN|FULLTEXT|SPATIAL|CHECK|PARTITION)\\b)';

const RULES: Rule[] = [
  { pattern: statement('CREATE', 'TABLE', `(?!IF\\b)${NAME}`), count: tables, makes: true },
  { pattern: statement('DROP', 'TABLE', `(?!IF\\b)${NAME}`), count: tables, makes: false },
  {
    pattern: statement('CREATE', `(?:(?:UNIQUE|FULLTEXT|SPATIAL)\\s+)?INDEX`, NAME, 'ON', NAME),
    count: indices,
    makes: true,
  },
  { pattern: statement('DROP', 'INDEX', NAME, 'ON', NAME), count: indices, makes: false },
  { pattern: statement('ALTER', 'TABLE', NAME, 'ADD', 'CONSTRAINT', NAME), count: constraints, makes: true },
  {
    pattern: statement('ALTER', 'TABLE', NAME, 'ADD', `(?:COLUMN\\s+)?${NO_COLUMN}${NAME}`),
    count: columns,
    makes: true,
  },
  {
    pattern: statement('ALTER', 'TABLE', NAME, 'DROP', `(?:COLUMN\\s+)?${NO_COLUMN}${NAME}`),
    count: columns,
    makes: false,
  },
];

/**
 * Whether a statement of a migration is done already, on MySQL and MariaDB. They commit each change of the schema
 * immediately, so an interrupted migration restarts in the middle of its work. This recognizes statements that create
 * or remove one table, column, index or constraint. For a statement with several parts it checks the first one, because
 * all are executed together.
 *
 * @param query runs a query
 */
async function isDone(query: (sql: string, parameters: string[]) => Promise<unknown>, sql: string): Promise<boolean> {
  for (const { pattern, count, makes } of RULES) {
    const [, ...names] = pattern.exec(sql) ?? [];
    if (names.length > 0) {
      const [check, parameters] = count(names);
      const [row] = (await query(check, parameters)) as { found: number | string }[];
      return Number(row?.found) > 0 === makes;
    }
  }
  return false;
}
