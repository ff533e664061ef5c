import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Default folder of backups. */
export const BACKUP_FOLDER = join('data', 'backups');

const ENDING = '.manifest.json';

/** The bucket with images and files on S3. */
export interface Bucket {
  endpoint: string;
  name: string;
  prefix: string;
}

/** The images and files of messages that a backup needs. */
export interface BackedUpBlobs {
  /**
   * `folder`: next to the backup; `database`: inside the backup; `s3`: in the bucket, which the backup does not copy.
   */
  store: 'folder' | 'database' | 's3';
  /** Number of blobs, and the SHA-256 of their sorted names, each with a line end; null if they are in the database. */
  count: number | null;
  sha256: string | null;
  /** Blobs that were missing when the backup was created, mostly because their messages had just been erased. */
  missing: string[];
  /** For `s3`: the bucket. */
  bucket?: Bucket;
}

/** The parts of a backup, so that they are not mixed up with those of another backup. */
export interface BackupManifest {
  format: 1;
  /** ISO 8601. */
  created_at: string;
  service_version: string;
  database: { kind: 'sqlite' | 'mysql'; file: string; bytes: number; sha256: string };
  blobs: BackedUpBlobs;
}

export function manifestOf(file: string): string {
  return `${file}${ENDING}`;
}

/** The file with the names of blobs on S3, one per line. */
export function namesFileOf(file: string): string {
  return `${file}.files.txt`;
}

/** One line per name, sorted. */
export function listOf(hashes: readonly string[]): string {
  return [...hashes]
    .sort()
    .map((hash) => `${hash}\n`)
    .join('');
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) {
    hash.update(bytes as Buffer);
  }
  return hash.digest('hex');
}

/** When the newest backup in a folder was created; null if there is none. */
export async function newestBackup(folder: string): Promise<Date | null> {
  const names = await readdir(folder).catch((): string[] => []);
  // The manifest is written first and the file last. Without the file, the backup is incomplete or was removed.
  const isThere = (name: string): boolean => names.includes(name.slice(0, -ENDING.length));
  const times = await Promise.all(
    names.filter((name) => name.endsWith(ENDING) && isThere(name)).map((name) => timeOf(join(folder, name))),
  );
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length === 0 ? null : new Date(Math.max(...known));
}

async function timeOf(file: string): Promise<number> {
  try {
    return Date.parse((JSON.parse(await readFile(file, 'utf8')) as BackupManifest).created_at);
  } catch {
    return NaN;
  }
}
