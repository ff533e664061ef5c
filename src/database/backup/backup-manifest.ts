import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where backups are put that nobody names. */
export const BACKUP_FOLDER = join('data', 'backups');

const ENDING = '.manifest.json';

/** Where images and files on S3 are. */
export interface Bucket {
  endpoint: string;
  name: string;
  prefix: string;
}

/** The images and files of messages that a backup needs. */
export interface BackedUpBlobs {
  /**
   * `folder`: beside the backup; `database`: within it; `s3`: in the bucket, which the backup does not copy.
   */
  store: 'folder' | 'database' | 's3';
  /** How many there are, and the SHA-256 of their sorted names, each with a line end; null where they are in the database. */
  count: number | null;
  sha256: string | null;
  /** Those that were not there when the backup was made. Mostly their messages were erased meanwhile. */
  missing: string[];
  /** Of `s3`: where they are. */
  bucket?: Bucket;
}

/** What a backup is made of, so that its parts are not mixed up with those of another one. */
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

/** The file with the names of blobs on S3, one a line. */
export function namesFileOf(file: string): string {
  return `${file}.files.txt`;
}

/** One line for each name, in their order. */
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

/** When the newest backup of a folder was made; null when there is none. */
export async function newestBackup(folder: string): Promise<Date | null> {
  const names = await readdir(folder).catch((): string[] => []);
  // The manifest comes first and the file last: without it the backup broke off, or was removed.
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
