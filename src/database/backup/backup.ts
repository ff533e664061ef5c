import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import Libsql from 'libsql';
import { SERVICE_VERSION } from '../../common/service-version';
import type { EnvironmentVariables } from '../../config/load-configuration';
import type { ConnectionSettings, SqliteSettings } from '../connection/connection-settings';
import { neededOnServer } from '../mysql/mysql-server';
import { blobFolderOf } from '../sqlite/blob-folder';
import { BackupError } from './backup.error';
import {
  type BackedUpBlobs,
  type BackupManifest,
  type Bucket,
  listOf,
  manifestOf,
  namesFileOf,
  sha256Of,
  sha256OfFile,
} from './backup-manifest';
import { copyBlobs, neededBlobs } from './blob-copy';
import { dumpServer } from './server-dump';

/** Where the service stores the images and files of messages. */
export type BackupStore = { kind: 'folder'; folder: string } | { kind: 'database' } | { kind: 's3'; bucket: Bucket };

/**
 * Writes a consistent copy of the database to `file`, while the service continues. The copy has everything that was
 * committed before it began, and each unit of work completely or not at all. Only the file's owner can read it. The
 * images and files of messages are inside the dump of a server. Those of a folder are copied into a folder next to the
 * copy. Those on S3 stay there, and a file next to the copy lists their names. A manifest lists the parts of the
 * backup.
 *
 * @param signal aborts the backup
 * @throws BackupError if the file exists, or the copy cannot be completed; then no file is left
 */
export async function backUp(
  settings: ConnectionSettings,
  file: string,
  environment: EnvironmentVariables,
  store: BackupStore,
  signal: AbortSignal,
): Promise<BackupManifest> {
  const unfinished = `${file}.unfinished`;
  for (const taken of [file, blobFolderOf(file), manifestOf(file), namesFileOf(file)]) {
    if (existsSync(taken)) {
      throw new BackupError(`${taken} exists, and no backup is overwritten`);
    }
  }
  await reserve(unfinished);
  try {
    const createdAt = new Date().toISOString();
    const before = await neededNow(settings, store);
    await (settings.dialect === 'sqlite'
      ? copySqliteFile(settings, unfinished)
      : dumpServer(settings, unfinished, environment, signal));
    const blobs = await keepBlobs(settings, store, unfinished, file, before, signal);
    await sync(unfinished);
    const manifest: BackupManifest = {
      format: 1,
      created_at: createdAt,
      service_version: SERVICE_VERSION,
      database: {
        kind: settings.dialect,
        file: basename(file),
        bytes: (await stat(unfinished)).size,
        sha256: await sha256OfFile(unfinished),
      },
      blobs,
    };
    signal.throwIfAborted();
    await writeDown(manifestOf(file), `${JSON.stringify(manifest, null, 2)}\n`);
    await rename(unfinished, file);
    return manifest;
  } catch (error) {
    await removeLeftovers(file, unfinished);
    if (signal.aborted) {
      throw new BackupError('it was told to stop');
    }
    throw error instanceof BackupError ? error : new BackupError((error as Error).message);
  }
}

async function removeLeftovers(file: string, unfinished: string): Promise<void> {
  for (const left of [unfinished, manifestOf(file), namesFileOf(file)]) {
    await rm(left, { force: true });
  }
  for (const folder of [blobFolderOf(unfinished), blobFolderOf(file)]) {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The suffix of a backup's name, for a copied file or a dump. */
export function backupEnding({ dialect }: ConnectionSettings): string {
  return dialect === 'sqlite' ? 'sqlite' : 'sql';
}

/**
 * All parts of the backup get their final names before the main file does, so that a visible file means a complete
 * backup.
 */
async function keepBlobs(
  settings: ConnectionSettings,
  store: BackupStore,
  unfinished: string,
  file: string,
  before: readonly string[],
  signal: AbortSignal,
): Promise<BackedUpBlobs> {
  switch (store.kind) {
    case 'database':
      return { store: 'database', count: null, sha256: null, missing: [] };
    case 'folder': {
      const target = blobFolderOf(unfinished);
      const { copied, missing } = await copyBlobs(unfinished, store.folder, target, async (copy) => {
        signal.throwIfAborted();
        await sync(copy);
      });
      if (existsSync(target)) {
        await rename(target, blobFolderOf(file));
      }
      return { store: 'folder', count: copied.length, sha256: sha256Of(listOf(copied)), missing };
    }
    case 's3': {
      // Blobs that were added or removed while a server wrote its dump: the dump may refer to both.
      const after = settings.dialect === 'sqlite' ? neededBlobs(unfinished) : await neededNow(settings, store);
      const needed = [...new Set([...before, ...after])];
      const list = listOf(needed);
      await writeDown(namesFileOf(file), list);
      return { store: 's3', count: needed.length, sha256: sha256Of(list), missing: [], bucket: store.bucket };
    }
  }
}

/** Only a server needs a query. For SQLite, the copy itself lists the blobs. */
async function neededNow(settings: ConnectionSettings, store: BackupStore): Promise<string[]> {
  return settings.dialect === 'mysql' && store.kind === 's3' ? neededOnServer(settings) : [];
}

/**
 * Creates the folder and the empty file, which only its owner can read. Removes the remains of a backup that was
 * killed.
 */
async function reserve(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new BackupError(
      isThere
        ? `${file} exists: another backup writes it, or one broke off. If none runs, remove it`
        : (error as Error).message,
    );
  }
  for (const left of [blobFolderOf(file), `${file}-journal`]) {
    await rm(left, { recursive: true, force: true });
  }
}

async function writeDown(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  await sync(file);
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync();
  await handle.close();
}

/**
 * Copies a SQLite database into an empty file. It reads in one transaction, while the service continues to write.
 *
 * @throws BackupError
 */
function copySqliteFile({ file }: SqliteSettings, target: string): void {
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
