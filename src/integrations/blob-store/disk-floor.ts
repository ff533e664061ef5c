import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import { MINUTE_MILLISECONDS } from '../../common/time';
import { BlobStore } from './blob-store';
import { BlobStoreConfig } from './blob-store.config';

const MEBIBYTE = 1_048_576;

/** How long an answer of the file system is cached. */
const KNOWN_MILLISECONDS = 1_000;

/** The operator is warned once in this time. */
const WARNING_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** Only the operator can free space. */
const RETRY_SECONDS = 60;

/**
 * Reserves disk space for the database, which on SQLite is next to the files: it must still take messages when files
 * have filled the rest.
 */
@Injectable()
export class DiskFloor {
  private readonly logger = new Logger(DiskFloor.name);
  private known: { free: number | null; at: number } | null = null;
  private warnedAt = -Infinity;

  constructor(
    private readonly store: BlobStore,
    private readonly config: BlobStoreConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Call it before a file is downloaded, decoded or stored.
   *
   * @param bytes of a file that will be written to the temporary folder first; 0: none
   * @throws ServiceUnavailableError if the disk has no space for files
   */
  async requireSpace(bytes = 0): Promise<void> {
    const { MIN_FREE_DISK_MB: floor } = this.config;
    const free = await this.freeBytes();
    if (free !== null && free < floor * MEBIBYTE) {
      this.refuse(
        { free_mb: inMebibytes(free), min_free_disk_mb: floor },
        'The disk is nearly full: images and files are refused until there is room again (MIN_FREE_DISK_MB).',
      );
    }
    // The folder may be in memory, and far smaller than the disk.
    const temporary = bytes === 0 ? null : await this.store.freeSpoolBytes();
    if (temporary !== null && temporary < bytes) {
      this.refuse(
        { free_mb: inMebibytes(temporary), needed_mb: inMebibytes(bytes) },
        'The folder for temporary files is nearly full: uploads are refused until there is room again (TMPDIR).',
      );
    }
  }

  private refuse(figures: object, warning: string): never {
    const now = this.clock.now().getTime();
    if (now - this.warnedAt >= WARNING_MILLISECONDS) {
      this.warnedAt = now;
      this.logger.warn(figures, warning);
    }
    // The warning has all that the operator needs. A line for each refused request would fill the disk further.
    throw new ServiceUnavailableError(undefined, RETRY_SECONDS, false);
  }

  private async freeBytes(): Promise<number | null> {
    const at = performance.now();
    if (this.known === null || at - this.known.at >= KNOWN_MILLISECONDS) {
      this.known = { free: await this.store.freeBytes(), at };
    }
    return this.known.free;
  }
}

function inMebibytes(bytes: number): number {
  return Math.floor(bytes / MEBIBYTE);
}
