import type { EntityManager } from 'typeorm';

/** Whether the data of this manager is in SQLite; otherwise a MySQL or MariaDB server has it. */
export function isSqlite(manager: EntityManager): boolean {
  return manager.dataSource.options.type === 'better-sqlite3';
}

/** Whether a MySQL server has the data, which lacks some of what MariaDB can. */
export function isMysql(manager: EntityManager): boolean {
  return manager.dataSource.options.type === 'mysql';
}
