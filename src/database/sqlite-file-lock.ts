import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Libsql from 'libsql';
import { blobFolderOf } from './blob-folder';
import { DatabaseInUseError } from './database.errors';

const OWNERS_FILE = 0o600;
const OWNERS_FOLDER = 0o700;

/** What SQLite and the lock keep beside a database. */
const ENDINGS = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal'];

/** What else the service keeps in the folder of its database by default. */
const OTHERS_OF_OURS = ['jwt-secret', 'backups'];

/**
 * Keeps a second process away from a SQLite database. It holds SQLite's own exclusive lock on a file beside the
 * database, which the operating system releases when the process ends, also after a crash.
 */
export class SqliteFileLock {
  private constructor(private readonly connection: Libsql.Database) {}

  /** @throws DatabaseInUseError when another process (or this one) holds the lock of `file`. */
  static acquire(file: string): SqliteFileLock {
    makeFolder(dirname(file));
    keepPrivate(file);
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

/**
 * Only their owner reads conversations and hashes. SQLite gives the files that it makes beside a database the access of the
 * database. A folder in which other things stand too stays as it is.
 */
function keepPrivate(file: string): void {
  const folder = dirname(file);
  const files = ENDINGS.map((ending) => `${basename(file)}${ending}`);
  for (const made of [file, `${file}.lock`]) {
    // An empty file is an empty database. SQLite would make it readable for everybody.
    closeSync(openSync(made, 'a', OWNERS_FILE));
  }
  const names = readdirSync(folder);
  for (const name of names.filter((one) => files.includes(one))) {
    restrict(join(folder, name), OWNERS_FILE);
  }
  if (
    names.every(
      (name) => files.includes(name) || OTHERS_OF_OURS.includes(name) || name === basename(blobFolderOf(file)),
    )
  ) {
    restrict(folder, OWNERS_FOLDER);
  }
}

function restrict(path: string, mode: number): void {
  const { uid, mode: present } = statSync(path);
  if (uid === process.getuid?.() && (present & 0o077) !== 0) {
    chmodSync(path, mode);
  }
}

/**
 * Makes the folders one by one, because Node's own recursion never ends when a parent refuses the new folder (`/proc`).
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    return;
  }
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: OWNERS_FOLDER });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!existsSync(folder)) {
      throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === 'SQLITE_BUSY';
}
