import { join } from 'node:path';
import type { ConnectionSettings } from '../connection/connection-settings';

/*
 * Where the blobs of a SQLite database lie: in a folder beside its file, like its log. A backup has the same form.
 */

/** The folder of a database; null on servers, which keep blobs in a table. */
export function blobFolder(settings: ConnectionSettings): string | null {
  return settings.dialect === 'sqlite' ? blobFolderOf(settings.file) : null;
}

/** The folder of a database file, or of its backup. */
export function blobFolderOf(databaseFile: string): string {
  return `${databaseFile}-blobs`;
}

/** Whether a blob may have this name. */
export function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** The file of a blob: a folder has at most a few thousand of them then. */
export function blobFile(folder: string, hash: string): string {
  if (!isHash(hash)) {
    throw new TypeError('A blob is named by 64 hexadecimal digits.');
  }
  return join(folder, hash.slice(0, 2), hash.slice(2));
}

/** Where files are until they are complete. */
export function unfinishedBlobs(folder: string): string {
  return join(folder, 'unfinished');
}
