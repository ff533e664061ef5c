import 'reflect-metadata';
import { join } from 'node:path';
import { loadConfiguration } from './config/load-configuration';
import { OperatorError } from './config/operator.error';
import { readEnvironment } from './config/read-environment';
import { backUp, backupEnding, type BackupStore } from './database/backup/backup';
import { checkBackup } from './database/backup/backup-check';
import { BACKUP_FOLDER, type Bucket, manifestOf, namesFileOf } from './database/backup/backup-manifest';
import { connectionSettings } from './database/connection/connection-settings';
import { DatabaseConfig } from './database/database.config';
import { blobFolderOf } from './database/sqlite/blob-folder';
import { type BlobPlace, blobPlace } from './integrations/blob-store/blob-place';
import { BlobStoreConfig } from './integrations/blob-store/blob-store.config';
import { S3Client } from './integrations/blob-store/s3/s3-client';
import { type S3Settings, s3Settings } from './integrations/blob-store/s3/s3-settings';

/** A setting that the command needs is missing. */
class MissingSettingError extends OperatorError {
  override readonly name = 'MissingSettingError';
}

/** The arguments of the command are invalid. */
class UsageError extends OperatorError {
  override readonly name = 'UsageError';

  constructor() {
    super(
      'node dist/backup.js [file] makes a backup, and node dist/backup.js verify <file> checks one. How to restore one: ' +
        'docs/operations-recovery.md.',
    );
  }
}

/** The settings name a different bucket than the one with the backup's files. */
class OtherBucketError extends OperatorError {
  override readonly name = 'OtherBucketError';

  constructor(needed: string, given: string) {
    super(
      `The files are in the bucket ${needed}, and S3_* name ${given}: set S3_ENDPOINT, S3_BUCKET and S3_PREFIX to where the ` +
        'backup has its files.',
    );
  }
}

const environment = readEnvironment();

/**
 * `node dist/backup.js [file]` copies the database of DATABASE_URL, even while the service runs. `node dist/backup.js
 * verify <file>` checks that a backup is complete.
 */
async function main([first, second, ...more]: string[]): Promise<void> {
  const isKnown = first === undefined || first === 'verify' || (!/^(-|$)/.test(first) && second === undefined);
  if (!isKnown || more.length > 0) {
    throw new UsageError();
  }
  const configuration = loadConfiguration([DatabaseConfig, BlobStoreConfig], environment);
  const config = configuration.get(BlobStoreConfig) as BlobStoreConfig;
  if (first === 'verify') {
    await verify(second, config);
  } else {
    await make(first, (configuration.get(DatabaseConfig) as DatabaseConfig).DATABASE_URL, config);
  }
}

async function make(given: string | undefined, databaseUrl: string, config: BlobStoreConfig): Promise<void> {
  const settings = connectionSettings(databaseUrl);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const file = given ?? join(BACKUP_FOLDER, `${time}.${backupEnding(settings)}`);
  const store = storeOf(blobPlace(settings, config));
  const { database, blobs } = await backUp(settings, file, environment, store, stopped());
  say(`The backup is ${file} (${database.bytes} bytes).`);
  if (blobs.store === 'folder') {
    const missing =
      blobs.missing.length === 0
        ? ''
        : ` ${blobs.missing.length} more are not there: their messages were erased meanwhile, or the files were lost before. The backup is not whole.`;
    say(`${blobs.count ?? 0} images and files of messages are in ${blobFolderOf(file)}. Keep both.${missing}`);
  } else if (blobs.store === 's3') {
    say(
      `${blobs.count ?? 0} images and files stay in the bucket; ${namesFileOf(file)} names them. Keep the bucket too.`,
    );
  }
  say(`${manifestOf(file)} says what belongs together. To check it: node dist/backup.js verify ${file}`);
}

async function verify(file: string | undefined, config: BlobStoreConfig): Promise<void> {
  if (file === undefined) {
    throw new MissingSettingError('Name the backup: node dist/backup.js verify <file>');
  }
  const settings = config.BLOB_STORE === 's3' ? s3Settings(config) : null;
  const client = settings && new S3Client(settings);
  try {
    const { created_at, blobs } = await checkBackup(file, (hash, manifest) => {
      const needed = placeOf(manifest.blobs.bucket);
      if (settings === null || client === null) {
        throw new MissingSettingError(`The files are in the bucket ${needed}: set BLOB_STORE=s3 and S3_*.`);
      }
      const given = placeOf(bucketOf(settings));
      if (given !== needed) {
        throw new OtherBucketError(needed, given);
      }
      return client.has(hash);
    });
    const files = blobs.store === 'database' ? '' : ` and ${blobs.count ?? 0} images and files`;
    say(`The backup ${file} of ${created_at} is whole: the database${files}.`);
  } finally {
    await client?.close();
  }
}

/**
 * Aborted by the first signal to stop, so that the command removes its unfinished files. The second signal ends the
 * process.
 */
function stopped(): AbortSignal {
  const stopping = new AbortController();
  (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).forEach((name) => process.once(name, () => stopping.abort()));
  return stopping.signal;
}

function storeOf(place: BlobPlace): BackupStore {
  if (place.kind !== 's3') {
    return place;
  }
  return { kind: 's3', bucket: bucketOf(place.settings) };
}

function bucketOf({ endpoint, bucket: name, prefix }: S3Settings): Bucket {
  return { endpoint: endpoint.origin, name, prefix };
}

/** A readable description of a bucket. Equal descriptions mean the same bucket. */
function placeOf({ endpoint = '', name = '', prefix = '' }: Partial<Bucket> = {}): string {
  return `${name} at ${endpoint}, ${prefix === '' ? 'without a prefix' : `below ${prefix}`}`;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const { name, syscall } = error as NodeJS.ErrnoException;
  // Errors of the operating system, such as a missing permission, name the file.
  const isExpected = error instanceof OperatorError || name === 'S3Error' || syscall !== undefined;
  process.stderr.write(`${isExpected ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = 1;
});
