import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { blobFolderOf } from './blob-folder';

const OWNERS_FILE = 0o600;
const OWNERS_FOLDER = 0o700;

/** What SQLite and the lock keep beside a database. */
const ENDINGS = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal'];

/** What else the service keeps in the folder of its database by default. */
const OTHERS_OF_OURS = ['jwt-secret', 'backups'];

/**
 * Call it before a SQLite database is opened: only its owner reads conversations and hashes. Makes the folder and the file
 * if they are missing; SQLite gives what it makes beside the file the access of the file. A folder in which other things
 * stand too stays as it is.
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

/** An empty file, if there is none: an empty database, which SQLite would make readable for everybody. */
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
