import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { plainToInstance, Type } from 'class-transformer';
import { IsArray, IsDateString, IsIn, IsInt, IsObject, IsString, ValidateNested, validateSync } from 'class-validator';
import Libsql from 'libsql';
import { OperatorError } from '../../config/operator.error';
import { blobFile, blobFolderOf, isHash } from '../sqlite/blob-folder';
import {
  type BackedUpBlobs,
  type BackupManifest,
  listOf,
  manifestOf,
  namesFileOf,
  sha256Of,
  sha256OfFile,
} from './backup-manifest';
import { neededBlobs } from './blob-copy';
import { isWholeDump } from './server-dump';

class DatabaseRules {
  @IsIn(['sqlite', 'mysql'])
  kind: unknown;

  @IsInt()
  bytes: unknown;

  @IsString()
  sha256: unknown;
}

class BlobRules {
  @IsIn(['folder', 'database', 's3'])
  store: unknown;

  @IsArray()
  missing: unknown;
}

/** The members of a manifest on which the check relies. */
class ManifestRules {
  @IsDateString()
  created_at: unknown;

  @IsObject()
  @ValidateNested()
  @Type(() => DatabaseRules)
  database: unknown;

  @IsObject()
  @ValidateNested()
  @Type(() => BlobRules)
  blobs: unknown;
}

/** Whether the JSON has the form of a manifest of this version. */
function isManifest(json: object): json is BackupManifest {
  return validateSync(plainToInstance(ManifestRules, json)).length === 0;
}

/** Concurrent requests to a bucket. */
const AT_ONCE = 8;

/** Most faults of one kind that the message lists. */
const MOST_NAMED = 5;

/** An unreliable backup. The message says what is wrong with it. */
export class DamagedBackupError extends OperatorError {
  override readonly name = 'DamagedBackupError';

  constructor(file: string, faults: readonly string[]) {
    super(`The backup ${file} is not whole:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Reads a backup completely, and compares it with its manifest.
 *
 * @param hasObject whether the bucket has the object of a blob
 * @throws DamagedBackupError with all faults
 */
export async function checkBackup(
  file: string,
  hasObject: (hash: string, manifest: BackupManifest) => Promise<boolean>,
): Promise<BackupManifest> {
  const manifest = await readManifest(file);
  const faults = [...(await databaseFaults(file, manifest)), ...(await blobFaults(file, manifest, hasObject))];
  if (faults.length > 0) {
    throw new DamagedBackupError(file, faults);
  }
  return manifest;
}

async function readManifest(file: string): Promise<BackupManifest> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(manifestOf(file), 'utf8'));
  } catch (error) {
    throw new DamagedBackupError(file, [`its manifest cannot be read (${(error as Error).message})`]);
  }
  const { format = null, ...content } = (manifest ?? {}) as Partial<BackupManifest>;
  if (Number(format) > 1) {
    throw new DamagedBackupError(file, ['its manifest was written by a later version']);
  }
  if (format !== 1 || !isManifest(content)) {
    throw new DamagedBackupError(file, ['its manifest is damaged']);
  }
  return { ...content, format };
}

async function databaseFaults(file: string, { database }: BackupManifest): Promise<string[]> {
  if (!existsSync(file)) {
    return [`${file} is not there`];
  }
  const { size } = await stat(file);
  if (size !== database.bytes) {
    return [`the database has ${size} bytes instead of ${database.bytes}`];
  }
  if ((await sha256OfFile(file)) !== database.sha256) {
    return ['the database has other bytes than were written (SHA-256)'];
  }
  return (database.kind === 'sqlite' ? isWholeFile(file) : await isWholeDump(file))
    ? []
    : ['the database is damaged inside'];
}

async function blobFaults(
  file: string,
  manifest: BackupManifest,
  hasObject: (hash: string, manifest: BackupManifest) => Promise<boolean>,
): Promise<string[]> {
  switch (manifest.blobs.store) {
    case 'database':
      return [];
    case 'folder':
      return folderFaults(file, manifest);
    case 's3':
      return bucketFaults(file, manifest, hasObject);
  }
}

async function folderFaults(file: string, { blobs, database }: BackupManifest): Promise<string[]> {
  const folder = blobFolderOf(file);
  const { hashes: there, strays } = await namesIn(folder);
  const faults = [...missingFaults(blobs), ...named('does not belong to the backup: remove it', strays)];
  if (blobs.sha256 !== sha256Of(listOf(there))) {
    faults.push(`${folder} has ${there.length} files that are not the ${blobs.count ?? 0} of this backup`);
  }
  if (database.kind === 'sqlite' && existsSync(file)) {
    const known = new Set([...there, ...blobs.missing]);
    faults.push(
      ...named(
        'is needed by a message and not there',
        safely(() => neededBlobs(file), []).filter((hash) => !known.has(hash)),
      ),
    );
  }
  const damaged: string[] = [];
  for (const hash of there) {
    if ((await sha256OfFile(blobFile(folder, hash))) !== hash) {
      damaged.push(hash);
    }
  }
  return [...faults, ...named('has other bytes than were stored', damaged)];
}

/**
 * A blob remains for an hour after its message was erased. A missing blob was therefore lost, unless the backup took
 * very long.
 */
function missingFaults({ missing }: BackedUpBlobs): string[] {
  return missing.length === 0
    ? []
    : [
        `${missing.length} files that messages need were missing when it was made`,
        ...named('was missing when it was made', missing),
      ];
}

async function bucketFaults(
  file: string,
  manifest: BackupManifest,
  hasObject: (hash: string, manifest: BackupManifest) => Promise<boolean>,
): Promise<string[]> {
  const list = await readFile(namesFileOf(file), 'utf8').catch(() => null);
  if (list === null || sha256Of(list) !== manifest.blobs.sha256) {
    return [`${namesFileOf(file)} is not the one of this backup`];
  }
  const hashes = list.split('\n').filter((hash) => hash !== '');
  const missing: string[] = [];
  for (let start = 0; start < hashes.length; start += AT_ONCE) {
    const some = hashes.slice(start, start + AT_ONCE);
    const found = await Promise.all(some.map((hash) => hasObject(hash, manifest)));
    missing.push(...some.filter((_hash, index) => !found[index]));
  }
  return named('is not in the bucket', missing);
}

/** The blobs of a folder, and its other files. */
async function namesIn(folder: string): Promise<{ hashes: string[]; strays: string[] }> {
  const files = existsSync(folder) ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
  const names = files.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  const hashOf = (name: string): string => relative(folder, name).replace(sep, '');
  const isBlob = (name: string): boolean => isHash(hashOf(name)) && blobFile(folder, hashOf(name)) === name;
  return { hashes: names.filter(isBlob).map(hashOf), strays: names.filter((name) => !isBlob(name)) };
}

function isWholeFile(file: string): boolean {
  return safely(() => {
    const connection = new Libsql(file, { readonly: true });
    try {
      const [result] = connection.prepare('PRAGMA integrity_check').raw().all() as [[string]];
      return result[0] === 'ok';
    } finally {
      connection.close();
    }
  }, false);
}

function safely<Result>(work: () => Result, otherwise: Result): Result {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

function named(fault: string, hashes: readonly string[]): string[] {
  const more = hashes.length - MOST_NAMED;
  const shown = hashes.slice(0, MOST_NAMED).map((hash) => `the file ${hash} ${fault}`);
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}
