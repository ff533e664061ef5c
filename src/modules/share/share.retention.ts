import { Injectable, Logger } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { removeBatch } from '../../database/expired-rows';
import { SharedClock } from '../../database/shared-clock';
import { ShareEntity } from './share.entity';

/** How long a link that has ended is kept. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** Removes links that ended long ago. */
@Injectable()
export class ShareRetention {
  private readonly logger = new Logger(ShareRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.removeEnded(),
      onError: (error) => this.logger.warn({ error }, 'Old links to conversations could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  async removeEnded(): Promise<null> {
    const longAgo = LessThanOrEqual(new Date(this.clock.now().getTime() - KEPT_MILLISECONDS));
    for (const where of [{ endedAt: longAgo }, { expiresAt: longAgo }]) {
      while (await removeBatch(this.database, ShareEntity, where));
    }
    return null;
  }
}
