import type { EntityManager } from 'typeorm';
import { isSqlite } from './dialect';

/*
 * SQL for instants by the clock of the database, which all instances share. Leases of several instances are judged by it:
 * their own clocks may differ.
 */

/** The present. */
export const databaseNow = (manager: EntityManager): string =>
  isSqlite(manager) ? "strftime('%Y-%m-%d %H:%M:%f', 'now')" : 'NOW(3)';

/** The present and so many seconds. @param seconds a constant of the code */
export const databaseLater = (manager: EntityManager, seconds: number): string =>
  isSqlite(manager)
    ? `strftime('%Y-%m-%d %H:%M:%f', 'now', '+${seconds} seconds')`
    : `NOW(3) + INTERVAL ${seconds} SECOND`;
