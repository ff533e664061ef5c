import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { blobFile } from '../sqlite/blob-folder';

/** The result of copying the files of messages. */
export interface CopiedBlobs {
  /** Names of the files. */
  copied: string[];
  /**
   * Files that the copy of the database refers to but that are missing, mostly because their messages had just been
   * erased.
   */
  missing: string[];
}

const HAS_BLOBS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'blobs'";

/**
 * Copies the blobs that messages in a copied database refer to. Blobs never change, and later blobs are not in the
 * copy, so the service may continue.
 *
 * @param database the copy
 * @param target a folder that does not exist; it is created if there are blobs
 * @param done called for each new file
 */
export async function copyBlobs(
  database: string,
  source: string,
  target: string,
  done: (file: string) => Promise<void>,
): Promise<CopiedBlobs> {
  const result: CopiedBlobs = { copied: [], missing: [] };
  for (const hash of neededBlobs(database)) {
    const [from, to] = [blobFile(source, hash), blobFile(target, hash)];
    if (!existsSync(dirname(to))) {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    }
    try {
      await copyFile(from, to, constants.COPYFILE_FICLONE);
      await done(to);
      result.copied.push(hash);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw error;
      }
      result.missing.push(hash);
    }
  }
  return result;
}

/** Names of the blobs that messages in a copied database refer to. */
export function neededBlobs(file: string): string[] {
  const connection = new Libsql(file, { timeout: 30_000 });
  try {
    if (connection.prepare(HAS_BLOBS).get() === undefined) {
      return [];
    }
    const rows = connection.prepare('SELECT hash FROM blobs WHERE is_referenced = 1').raw().all() as [string][];
    return rows.map(([hash]) => hash);
  } finally {
    connection.close();
  }
}
