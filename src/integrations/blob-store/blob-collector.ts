import { Injectable, Logger } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import type { BackgroundLoop } from '../../common/background/background-loop';
import { Lifecycle } from '../../common/lifecycle';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { SharedClock } from '../../database/shared-clock';
import { findRows } from '../../database/statements/find';
import { BlobEntity } from './blob.entity';
import { BlobStore } from './blob-store';

/** How long a blob stays to which nothing refers, from the last time that somebody stored it. */
export const UNUSED_MILLISECONDS = HOUR_MILLISECONDS;

/** Blobs that are looked for at once. */
const BATCH = 100;

/** Erases blobs to which nothing refers. Several instances may do it at once: each blob is erased by one of them. */
@Injectable()
export class BlobCollector {
  private readonly logger = new Logger(BlobCollector.name);
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly database: Database,
    private readonly store: BlobStore,
    private readonly clock: SharedClock,
    private readonly lifecycle: Lifecycle,
    background: BackgroundWork,
  ) {
    this.loop = background.add({
      step: () => this.collect(),
      onError: (error) => this.logger.warn({ error }, 'Files that nobody needs any more could not be erased.'),
      idleMilliseconds: 10 * MINUTE_MILLISECONDS,
    });
  }

  /** Call it when references were removed. */
  wake(): void {
    this.loop.wake();
  }

  /**
   * Erases all that nobody needs.
   *
   * @throws ServiceUnavailableError between two blobs when the process shuts down, and while the store is away
   */
  async collect(): Promise<null> {
    for (let found = BATCH; found === BATCH;) {
      const until = new Date(this.clock.now().getTime() - UNUSED_MILLISECONDS);
      const unused = await findRows(
        this.database.manager,
        BlobEntity,
        { isReferenced: false, touchedAt: LessThanOrEqual(until) },
        { order: { touchedAt: 'ASC' }, limit: BATCH },
      );
      for (const { hash } of unused) {
        this.lifecycle.assertAcceptsWork();
        await this.store.deleteUnused(hash, until);
      }
      found = unused.length;
    }
    return null;
  }
}
