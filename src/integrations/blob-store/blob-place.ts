import { ConfigurationError } from '../../config/configuration.error';
import type { ConnectionSettings } from '../../database/connection/connection-settings';
import { blobFolder } from '../../database/sqlite/blob-folder';
import type { BlobStoreConfig } from './blob-store.config';
import { type S3Settings, s3Settings } from './s3/s3-settings';

/** Where blobs are stored. */
export type BlobPlace =
  | { kind: 'folder'; folder: string }
  | { kind: 'database' }
  | { kind: 's3'; settings: S3Settings };

/** @throws ConfigurationError for a folder with a database server, because each instance would have its own folder */
export function blobPlace(settings: ConnectionSettings, config: BlobStoreConfig): BlobPlace {
  const folder = blobFolder(settings);
  if (config.BLOB_STORE === 's3') {
    return { kind: 's3', settings: s3Settings(config) };
  }
  if (config.BLOB_STORE === 'database' || (config.BLOB_STORE === 'auto' && folder === null)) {
    return { kind: 'database' };
  }
  if (folder === null) {
    throw new ConfigurationError(['BLOB_STORE=folder needs a SQLite DATABASE_URL: a folder has one instance only']);
  }
  return { kind: 'folder', folder };
}
