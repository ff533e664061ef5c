import { IsIn, Matches, ValidateIf } from 'class-validator';
import { Rule, WholeNumber } from '../../config/environment-rules';

/** One pebibyte. */
const MOST_MEBIBYTES = 1_073_741_824;

export const BLOB_STORES = ['auto', 'folder', 'database', 's3'] as const;

/** Settings that apply only to a store on S3. */
const OnS3 = (): PropertyDecorator => ValidateIf((config: BlobStoreConfig) => config.BLOB_STORE === 's3');

/** Where files are stored, and how much of the disk they may use. */
export class BlobStoreConfig {
  /**
   * Where images and files are stored: `auto` is a folder next to a SQLite file, or a table of a database server;
   * `folder` (SQLite only), `database`, or `s3`.
   */
  @IsIn(BLOB_STORES, { message: `$property must be one of ${BLOB_STORES.join(', ')}` })
  BLOB_STORE: (typeof BLOB_STORES)[number] = 'auto';

  /** Address of an S3 server, with buckets as the first part of the path. Default: Amazon's for the region. */
  @OnS3()
  @Rule<BlobStoreConfig>(
    ({ S3_ENDPOINT }) => S3_ENDPOINT === null || isOrigin(S3_ENDPOINT),
    '$property must be https://host or http://host:port, without a path',
  )
  S3_ENDPOINT: string | null = null;

  @OnS3()
  @Matches(/^[a-z0-9-]{1,64}$/, { message: '$property must be the name of a region, such as eu-central-1' })
  S3_REGION = 'us-east-1';

  @OnS3()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: '$property must be the name of the bucket' })
  S3_BUCKET: string | null = null;

  /** Prefix of all object names, such as `chat/`. */
  @OnS3()
  @Matches(/^(?!(?:.*\/)?\.{1,2}(?:\/|$))(?:[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*\/?)?$/, {
    message: '$property must be a path of letters, digits, ".", "_" and "-", without "." and ".." alone',
  })
  S3_PREFIX = '';

  @OnS3()
  @Matches(/^\S+$/, { message: '$property must be the id of an access key' })
  S3_ACCESS_KEY_ID: string | null = null;

  @OnS3()
  @Matches(/^\S+$/, { message: '$property must be the secret of the access key' })
  S3_SECRET_ACCESS_KEY: string | null = null;

  /** Files are refused if the disk with the files has less free space than this, in MiB. */
  @WholeNumber(0, MOST_MEBIBYTES)
  MIN_FREE_DISK_MB = 200;
}

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}
