import * as mysql2 from 'mysql2';
import { DatabaseUnavailableError } from './database.errors';

/**
 * What every session must have, whatever the server's defaults: UTC, errors instead of silent truncation, reads that
 * see what was committed, and a bounded wait for row locks.
 */
const SESSION_SETTINGS =
  "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', innodb_lock_wait_timeout = 5";
const SESSION_ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';

type GetConnection = (callback: (error: Error | null, connection?: mysql2.PoolConnection) => void) => void;

/**
 * mysql2 for TypeORM with two things its pool has no option for: settings that every new session gets before its first
 * query, and a limit of `waitSeconds` on the wait for a connection.
 */
export function pooledMysqlDriver(waitSeconds: number): typeof mysql2 {
  return {
    ...mysql2,
    createPool: (options: mysql2.PoolOptions) => {
      const pool = mysql2.createPool(options);
      pool.on('connection', (connection) => {
        connection.query(SESSION_SETTINGS);
        connection.query(SESSION_ISOLATION);
      });
      const acquire: GetConnection = pool.getConnection.bind(pool) as GetConnection;
      pool.getConnection = withTimeout(acquire, waitSeconds * 1_000) as typeof pool.getConnection;
      return pool;
    },
  } as typeof mysql2;
}

function withTimeout(acquire: GetConnection, milliseconds: number): GetConnection {
  return (callback) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      callback(new DatabaseUnavailableError('No database connection became free in time.'));
    }, milliseconds);
    acquire((error, connection) => {
      clearTimeout(timer);
      if (!isLate) {
        // The pool says that its queue is full in words only.
        const isFull = error?.message.startsWith('Queue limit') ?? false;
        callback(isFull ? new DatabaseUnavailableError('Too many wait for a database connection.') : error, connection);
      } else {
        connection?.release();
      }
    });
  };
}
