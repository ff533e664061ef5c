import type { DataSource } from 'typeorm';
import { DatabaseUnavailableError } from './database.errors';

/** Seconds that an instance waits while another one migrates. */
const LOCK_WAIT_SECONDS = 120;

/**
 * Runs the pending migrations under a lock, so that instances that start together do not run them twice. On SQLite the
 * lock on the file, which the process holds already, is that lock.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type === 'better-sqlite3') {
    await dataSource.runMigrations();
    return;
  }
  const runner = dataSource.createQueryRunner();
  const name = `${String(dataSource.options.database)}.migrations`.slice(0, 64);
  try {
    const [row] = (await runner.query('SELECT GET_LOCK(?, ?) AS acquired', [name, LOCK_WAIT_SECONDS])) as {
      acquired: number | null;
    }[];
    if (Number(row?.acquired) !== 1) {
      throw new DatabaseUnavailableError('Another instance is still migrating the database.');
    }
    try {
      await dataSource.runMigrations();
    } finally {
      await runner.query('SELECT RELEASE_LOCK(?)', [name]);
    }
  } finally {
    await runner.release();
  }
}
