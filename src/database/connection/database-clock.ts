import type { EntityManager } from 'typeorm';
import { isSqlite } from './dialect';

/*
 * SQL for instants by the clock of the database, which all instances share. Leases depend on it, because the clocks of
 * the instances may differ.
 */

/** The current time. */
export const databaseNow = (manager: EntityManager): string =>
  isSqlite(manager) ? "strftime('%Y-%m-%d %H:%M:%f', 'now')" : 'NOW(3)';

/** The current time plus the given seconds. @param seconds a constant of the code */
export const databaseLater = (manager: EntityManager, seconds: number): string =>
  isSqlite(manager)
    ? `strftime('%Y-%m-%d %H:%M:%f', 'now', '+${seconds} seconds')`
    : `NOW(3) + INTERVAL ${seconds} SECOND`;
