import Libsql from 'libsql';
import { DatabaseInUseError } from '../database.errors';
import { keepPrivate, makePrivateFile } from './private-files';

/**
 * Prevents a second process from opening a SQLite database. It holds SQLite's own exclusive lock on a file next to the
 * database, which the operating system releases when the process ends, even after a crash.
 */
export class SqliteFileLock {
  private constructor(private readonly connection: Libsql.Database) {}

  /** @throws DatabaseInUseError if another process (or this one) holds the lock of `file` */
  static acquire(file: string): SqliteFileLock {
    keepPrivate(file);
    makePrivateFile(`${file}.lock`);
    const connection = new Libsql(`${file}.lock`);
    try {
      connection.exec('BEGIN EXCLUSIVE');
      return new SqliteFileLock(connection);
    } catch (error) {
      connection.close();
      throw isBusy(error) ? new DatabaseInUseError(file) : error;
    }
  }

  release(): void {
    this.connection.exec('ROLLBACK');
    this.connection.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === 'SQLITE_BUSY';
}
