import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { EnvironmentVariables } from '../../config/load-configuration';
import type { ConnectionSettings } from '../connection/connection-settings';
import { blobFolder, blobFolderOf } from '../sqlite/blob-folder';
import { BackupError } from './backup.error';
import { type CopiedBlobs, copyBlobs } from './blob-copy';
import { dumpServer } from './server-dump';
import { copySqliteFile } from './sqlite-copy';

/**
 * Writes a consistent copy of the database to `file`, while the service continues. The copy has everything that was
 * committed before it began, and each unit of work completely or not at all. Only the file's owner can read it. The images
 * and files of messages are in the copy of a server; of SQLite they come into a folder beside the copy.
 *
 * @returns what is in that folder; null when there is none
 * @throws BackupError when the file exists, or the copy cannot be completed; then no file is left
 */
export async function backUp(
  settings: ConnectionSettings,
  file: string,
  environment: EnvironmentVariables,
): Promise<CopiedBlobs | null> {
  const unfinished = `${file}.unfinished`;
  for (const taken of [file, blobFolderOf(file)]) {
    if (existsSync(taken)) {
      throw new BackupError(`${taken} exists, and no backup is overwritten`);
    }
  }
  await reserve(unfinished);
  try {
    await (settings.dialect === 'sqlite'
      ? copySqliteFile(settings, unfinished)
      : dumpServer(settings, unfinished, environment));
    const blobs = await copyBlobFolder(settings, unfinished, file);
    await sync(unfinished);
    await rename(unfinished, file);
    return blobs;
  } catch (error) {
    await rm(unfinished, { force: true });
    for (const folder of [blobFolderOf(unfinished), blobFolderOf(file)]) {
      await rm(folder, { recursive: true, force: true });
    }
    throw error instanceof BackupError ? error : new BackupError((error as Error).message);
  }
}

/** The ending of a backup's name: a copied file, or a dump. */
export function backupEnding({ dialect }: ConnectionSettings): string {
  return dialect === 'sqlite' ? 'sqlite' : 'sql';
}

/** The folder has its final name before the file has it: who sees the file has the whole backup. */
async function copyBlobFolder(
  settings: ConnectionSettings,
  unfinished: string,
  file: string,
): Promise<CopiedBlobs | null> {
  const source = blobFolder(settings);
  if (source === null) {
    return null;
  }
  const target = blobFolderOf(unfinished);
  const result = await copyBlobs(unfinished, source, target, sync);
  if (!existsSync(target)) {
    return null;
  }
  await rename(target, blobFolderOf(file));
  return result;
}

/** Makes the folder and the empty file, which only its owner can read. */
async function reserve(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new BackupError(isThere ? `${file} exists: another backup runs, or broke off` : (error as Error).message);
  }
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
}
