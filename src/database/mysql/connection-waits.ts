import type * as mysql2 from 'mysql2';
import { histogram } from '../../common/metrics/metrics';
import { DatabaseUnavailableError } from '../database.errors';

const connectionWait = histogram(
  'database_connection_wait_seconds',
  'Time that reads and transactions waited for a connection of the pool (MySQL)',
  [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 3, 10],
);

/** How a pool hands out a connection. */
export type GetConnection = (callback: (error: Error | null, connection?: mysql2.PoolConnection) => void) => void;

/**
 * Ends the wait for a connection after some time.
 *
 * @param waits those that wait at present, the longest first
 */
export function withTimeout(
  acquire: GetConnection,
  milliseconds: number,
  waits: Set<{ began: number }>,
): GetConnection {
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
        // Only the pool's message says that its queue is full; there is no code.
        const isFull = error?.message.startsWith('Queue limit') ?? false;
        callback(isFull ? new DatabaseUnavailableError('Too many wait for a database connection.') : error, connection);
      } else {
        connection?.release();
      }
    });
  };
}
