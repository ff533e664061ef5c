import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import type * as mysql2 from 'mysql2';
import type { Pool } from 'mysql2';
import { type DatabaseRefusal, databaseRefusal } from '../../common/errors/database-refusal';
import { loadPackage } from '../../common/load-package';
import { histogram } from '../../common/metrics/metrics';
import type { MysqlSettings } from '../connection/connection-settings';
import { DatabaseUnavailableError } from '../database.errors';
import { addStatements, type Done, SILENCE } from './connection-statements';

/** The pool's function that hands out a connection. */
type GetConnection = (callback: (error: Error | null, connection?: mysql2.PoolConnection) => void) => void;

/**
 * Settings of every session, independent of the server's defaults: UTC, errors instead of silent truncation, reads that
 * see committed changes, and a limited wait for row locks.
 */
const SESSION_SETTINGS =
  "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = 5";
/**
 * Added to them if the server is a node of a cluster: reads wait until this node has all changes committed elsewhere.
 * Galera (MariaDB) and group replication (MySQL) have different names for it, and each server reads only its own
 * comment.
 */
const SESSION_SYNC = "/*M! , wsrep_sync_wait = 15 *//*!80014 , group_replication_consistency = 'BEFORE' */";
/**
 * If an instance is cut off or loses power, its open transaction locks its rows until the server ends the session, by
 * default after eight hours. Connections that wait for their next transaction are closed earlier.
 */
const SESSION_END = 'wait_timeout = 30';
const LONGEST_IDLE_MILLISECONDS = 20_000;

const SESSION_ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

/** The pool that TypeORM and reads use. Transactions have their own connections. */
export interface ServicePool extends mysql2.Pool {
  /**
   * Connections whose first statement begins a transaction, without an extra round trip. A caller ends the transaction
   * before it returns the connection. They are not for reads, because rows read in a transaction would stay locked
   * against migrations.
   */
  transactions: mysql2.Pool;
  /** One extra connection for signs of life, because the service can still write while all others are in use. */
  signs: mysql2.Pool;
  /** How long the first of the callers waiting for a connection has waited, in milliseconds. */
  longestWait(): number;
}

/**
 * mysql2 for TypeORM with features that its pool lacks: transactions and signs of life have their own connections,
 * every new session gets settings before its first query, the wait for a connection ends after `waitSeconds`, and
 * connections that no longer answer are closed. (The time limit of a statement would return the connection to the pool
 * while the statement is still in its queue.)
 *
 * @borrowed mysql2-pool
 */
export function pooledMysqlDriver({
  waitSeconds,
  isSynchronous,
}: Pick<MysqlSettings, 'waitSeconds' | 'isSynchronous'>): typeof mysql2 {
  const driver = loadPackage('mysql2') as typeof mysql2;
  const milliseconds = waitSeconds * 1_000;
  return {
    ...driver,
    createPool: (options: mysql2.PoolOptions) => {
      const waits = new Set<{ began: number }>();
      const connections: Connections = { open: new Set(), idle: new Set(), outdated: new Set() };
      const create = (
        connectionLimit: number,
        settings: string[],
        multipleStatements: boolean,
        waiting = waits,
      ): mysql2.Pool => {
        const pool = driver.createPool({ ...options, connectionLimit, multipleStatements, rowsAsArray: true });
        supervise(pool, connections, (connection) => {
          for (const sql of settings) {
            connection.query({ sql, timeout: milliseconds }, (error) => error && cut(connection));
          }
        });
        const acquire = withTimeout(pool.getConnection.bind(pool) as GetConnection, milliseconds, waiting);
        return Object.assign(pool, { getConnection: acquire, execute: executeOn(acquire) });
      };
      const size = options.connectionLimit as number;
      const session = `${SESSION_SETTINGS}${isSynchronous ? SESSION_SYNC : ''}`;
      const forTransactions = Math.max(1, Math.floor(size / 2));
      const forWrites = [`${session}, autocommit = 0, ${SESSION_END}`, SESSION_ISOLATION];
      // Only these take several statements in a packet: see `sendTogether`.
      const transactions = create(forTransactions, forWrites, true);
      // Each statement is committed separately. A transaction on a silently lost connection would lock the row against
      // the next sign. Waiting for this connection is no sign of overload.
      const signs = create(1, [`${session}, ${SESSION_END}`, SESSION_ISOLATION], false, new Set());
      [transactions, signs].forEach(closeIdle);
      const pool = create(Math.max(1, size - forTransactions), [session, SESSION_ISOLATION], false);
      const end = endTogether([pool, transactions, signs], () => connections.open.forEach(cut));
      const longestWait = (): number => {
        const [first] = waits;
        return first === undefined ? 0 : performance.now() - first.began;
      };
      return Object.assign(pool, { transactions, signs, end, longestWait });
    },
  } as typeof mysql2;
}

/** Connections in use are `outdated` if they lead to a server that no longer takes writes. */
type Connections = Record<'open' | 'idle' | 'outdated', Set<mysql2.PoolConnection>>;

/** Refusals that may not apply to new connections. */
const OUTDATED: ReadonlySet<DatabaseRefusal | null> = new Set(['read_only', 'locked_out'] as const);

/** A connection younger than this was opened after a new lookup of the server's address. */
const FRESH_MILLISECONDS = 1_000;

/**
 * Tracks the pool's connections, prepares new ones, and closes those that do not answer or lead to the wrong server.
 */
function supervise(
  pool: mysql2.Pool,
  { open, idle, outdated }: Connections,
  prepare: (connection: mysql2.PoolConnection) => void,
): void {
  pool.on('acquire', (connection) => idle.delete(connection));
  pool.on('release', (connection) => idle.add(connection));
  pool.on('connection', (connection) => {
    const madeAt = performance.now();
    const forget = (): void => [open, idle, outdated].forEach((connections) => connections.delete(connection));
    const release = connection.release.bind(connection);
    open.add(connection);
    connection.on('end', forget);
    connection.on('error', forget);
    // A released connection would be handed to the next caller immediately.
    connection.release = () => {
      if (outdated.has(connection)) {
        forget();
        connection.destroy();
      } else {
        release();
      }
    };
    addStatements(connection, (error) => {
      if (error.code === SILENCE) {
        // If one connection is silently dead, the others may be dead too, and nothing else would detect this.
        [connection, ...idle].forEach(cut);
      } else if (OUTDATED.has(databaseRefusal(error)) && performance.now() - madeAt >= FRESH_MILLISECONDS) {
        // Another server may have become the primary under the same name, or the account may have other rights by now.
        // New connections see this, the old ones never do.
        open.forEach((each) => outdated.add(each));
        idle.forEach(cut);
      }
    });
    prepare(connection);
  });
}

/** Closes connections that have been idle for a while. */
function closeIdle(pool: mysql2.Pool): void {
  const timers = new Map<mysql2.PoolConnection, NodeJS.Timeout>();
  pool.on('acquire', (connection) => {
    clearTimeout(timers.get(connection));
    timers.delete(connection);
  });
  pool.on('release', (connection) => {
    const close = (): void => {
      timers.delete(connection);
      connection.destroy();
    };
    timers.set(connection, setTimeout(close, LONGEST_IDLE_MILLISECONDS).unref());
  });
}

/**
 * Runs a statement on any connection. After a fatal error the connection is not released, because the pool has removed
 * it.
 */
function executeOn(acquire: GetConnection) {
  return (options: mysql2.QueryOptions, done: Done): void =>
    acquire((error, connection) => {
      if (connection === undefined) {
        done(error);
        return;
      }
      connection.execute(options, (failure, ...results) => {
        if (!failure?.fatal) {
          connection.release();
        }
        done(failure, ...results);
      });
    });
}

/** Ends a connection immediately. Its waiting statements fail, and the pool opens another one when needed. */
function cut(connection: mysql2.PoolConnection): void {
  const { stream } = connection as unknown as { stream: Socket };
  stream.destroy(new DatabaseUnavailableError('The database connection does not answer.'));
}

const connectionWait = histogram(
  'database_connection_wait_seconds',
  'Time that reads and transactions waited for a connection of the pool (MySQL)',
  [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 3, 10],
);

/**
 * Limits the time to wait for a connection.
 *
 * @param waits current waits, the longest first
 */
function withTimeout(acquire: GetConnection, milliseconds: number, waits: Set<{ began: number }>): GetConnection {
  return (callback) => {
    const wait = { began: performance.now() };
    waits.add(wait);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      waits.delete(wait);
      callback(new DatabaseUnavailableError('No database connection became free in time.'));
    }, milliseconds);
    acquire((error, connection) => {
      clearTimeout(timer);
      waits.delete(wait);
      connectionWait.observe((performance.now() - wait.began) / 1_000);
      if (!isLate) {
        // Only the pool's message shows that its queue is full; there is no code.
        const isFull = error?.message.startsWith('Queue limit') ?? false;
        callback(isFull ? new DatabaseUnavailableError('Too many wait for a database connection.') : error, connection);
      } else {
        connection?.release();
      }
    });
  };
}

/** How long connections may take to close. */
const CLOSING_MILLISECONDS = 3_000;

/**
 * Closes pools together, and never fails, because a connection that still tries to reach its server cannot be closed.
 *
 * @param cutAll cuts the connections that are still open, or are not closed in time
 */
function endTogether(pools: readonly Pool[], cutAll: () => void): (callback: () => void) => void {
  const ends = pools.map((pool) => promisify<void>(pool.end.bind(pool)));
  return (callback) => {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), CLOSING_MILLISECONDS);
    });
    const isRefused = Promise.all(ends.map((end) => end())).then(
      () => false,
      () => true,
    );
    void Promise.race([isLate, isRefused]).then((mustCut) => {
      clearTimeout(timer);
      if (mustCut) cutAll();
      callback();
    });
  };
}
