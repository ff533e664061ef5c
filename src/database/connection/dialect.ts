import type { EntityManager } from 'typeorm';

/** Whether the manager's data is in SQLite; otherwise it is on a MySQL or MariaDB server. */
export function isSqlite(manager: EntityManager): boolean {
  return manager.dataSource.options.type === 'better-sqlite3';
}

/** A join that reads the table on its left first. */
export function joinInOrder(manager: EntityManager): 'CROSS JOIN' | 'STRAIGHT_JOIN' {
  return isSqlite(manager) ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
}

/** Whether the data is on a MySQL server, which lacks some features of MariaDB. */
export function isMysql(manager: EntityManager): boolean {
  return manager.dataSource.options.type === 'mysql';
}
