import { existsSync } from 'node:fs';
import Libsql from 'libsql';
import type { SqliteSettings } from '../connection/connection-settings';
import { BackupError } from './backup.error';

/**
 * Copies a SQLite database into an empty file. It reads in one transaction, while the service continues to write.
 *
 * @throws BackupError
 */
export function copySqliteFile({ file }: SqliteSettings, target: string): void {
  if (!existsSync(file)) {
    throw new BackupError(`there is no database ${file}`);
  }
  using(file, (connection) => connection.prepare('VACUUM INTO ?').run(target));
  using(target, (connection) => {
    const [result] = connection.prepare('PRAGMA quick_check').raw().all() as [[string]];
    if (result[0] !== 'ok') {
      throw new BackupError(`the copy is damaged (${result[0]})`);
    }
  });
}

function using(file: string, work: (connection: Libsql.Database) => unknown): void {
  const connection = new Libsql(file, { timeout: 30_000 });
  try {
    work(connection);
  } finally {
    connection.close();
  }
}
