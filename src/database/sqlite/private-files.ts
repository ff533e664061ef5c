import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { blobFolderOf } from './blob-folder';

const OWNERS_FILE = 0o600;
const OWNERS_FOLDER = 0o700;

/** Suffixes of the files that SQLite and the lock create next to a database. */
const ENDINGS = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal'];

/** What else the service stores in the folder of its database by default. */
const OTHERS_OF_OURS = ['jwt-secret', 'backups'];

/**
 * Call it before a SQLite database is opened, so that only its owner can read conversations and hashes. Creates the
 * folder and the file if they are missing. SQLite creates its other files with the permissions of the database file. A
 * folder that also contains other files stays unchanged.
 */
export function keepPrivate(file: string): void {
  const folder = dirname(file);
  makeFolder(folder);
  makePrivateFile(file);
  const files = ENDINGS.map((ending) => `${basename(file)}${ending}`);
  const ours = [...files, ...OTHERS_OF_OURS, basename(blobFolderOf(file))];
  const names = readdirSync(folder);
  for (const name of names.filter((one) => files.includes(one))) {
    restrict(join(folder, name), OWNERS_FILE);
  }
  if (names.every((name) => ours.includes(name))) {
    restrict(folder, OWNERS_FOLDER);
  }
}

/** Creates an empty file if there is none. It is an empty database, which SQLite would make readable for all users. */
export function makePrivateFile(file: string): void {
  closeSync(openSync(file, 'a', OWNERS_FILE));
}

function restrict(path: string, mode: number): void {
  const { uid, mode: present } = statSync(path);
  if (uid === process.getuid?.() && (present & 0o077) !== 0) {
    chmodSync(path, mode);
  }
}

/**
 * Creates the folders one by one, because Node's own recursion never ends if a parent refuses the new folder (`/proc`).
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    return;
  }
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: OWNERS_FOLDER });
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(folder)) {
      throw error;
    }
  }
}
