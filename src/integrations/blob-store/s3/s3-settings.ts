import type { BlobStoreConfig } from '../blob-store.config';

/** A bucket, and who may use it. */
export interface S3Settings {
  /** Without a path. */
  endpoint: URL;
  region: string;
  bucket: string;
  /** What the names of all objects begin with. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Of a configuration with `BLOB_STORE=s3`, whose rules hold. */
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
