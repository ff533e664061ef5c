import type { BlobStoreConfig } from '../blob-store.config';

/** A bucket and its credentials. */
export interface S3Settings {
  /** Without a path. */
  endpoint: URL;
  region: string;
  bucket: string;
  /** Prefix of all object names. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** The settings of a valid configuration with `BLOB_STORE=s3`. */
export function s3Settings(config: BlobStoreConfig): S3Settings {
  return {
    endpoint: new URL(config.S3_ENDPOINT ?? `https://s3.${config.S3_REGION}.amazonaws.com`),
    region: config.S3_REGION,
    bucket: config.S3_BUCKET ?? '',
    prefix: config.S3_PREFIX,
    accessKeyId: config.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: config.S3_SECRET_ACCESS_KEY ?? '',
  };
}
