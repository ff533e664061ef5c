import { join } from 'node:path';
import type { ConnectionSettings } from '../connection/connection-settings';

/* The blobs of a SQLite database are in a folder next to its file, like its log. A backup has the same form. */

/** The folder of a database; null for servers, which store blobs in a table. */
export function blobFolder(settings: ConnectionSettings): string | null {
  return settings.dialect === 'sqlite' ? blobFolderOf(settings.file) : null;
}

/** The folder of a database file, or of its backup. */
export function blobFolderOf(databaseFile: string): string {
  return `${databaseFile}-blobs`;
}

/** Whether the name is a valid blob name. */
export function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** The file of a blob. Subfolders limit each folder to a few thousand files. */
export function blobFile(folder: string, hash: string): string {
  if (!isHash(hash)) {
    throw new TypeError('A blob is named by 64 hexadecimal digits.');
  }
  return join(folder, hash.slice(0, 2), hash.slice(2));
}

/** The folder of files that are not complete yet. */
export function unfinishedBlobs(folder: string): string {
  return join(folder, 'unfinished');
}
