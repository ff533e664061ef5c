import { Injectable, Logger } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../common/clock';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { ShareEntity } from './share.entity';

/** How long a link that has ended is kept. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

const BATCH = 500;

/** Removes links that ended long ago. */
@Injectable()
export class ShareRetention {
  private readonly logger = new Logger(ShareRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
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
      for (let isFull = true; isFull;) {
        const rows = await findRows(this.database.manager, ShareEntity, where, { members: ['id'], limit: BATCH });
        isFull = rows.length === BATCH;
        if (rows.length > 0) {
          await this.database.write((manager) =>
            deleteRows(manager, ShareEntity, { id: In(rows.map(({ id }) => id)) }),
          );
        }
      }
    }
    return null;
  }
}
