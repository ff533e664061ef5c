import { WholeNumber } from '../../config/environment-rules';

/** A pebibyte. */
const MOST_MEBIBYTES = 1_073_741_824;

/** How much of the disk files may take. */
export class BlobStoreConfig {
  /** With less room than so many MiB on the disk where files lie, no more files are taken. */
  @WholeNumber(0, MOST_MEBIBYTES)
  MIN_FREE_DISK_MB = 200;
}
