import type { EntityManager } from 'typeorm';

/** Whether the data of this manager is in SQLite; otherwise a MySQL or MariaDB server has it. */
export function isSqlite(manager: EntityManager): boolean {
  return manager.dataSource.options.type === 'better-sqlite3';
}
