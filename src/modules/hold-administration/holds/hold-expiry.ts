import { Injectable, Logger } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../../common/attention/attention';
import { Clock } from '../../../common/clock';
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { LegalHoldStore } from '../../hold/hold.api';
import { ErasurePauseConfig } from '../../user/user.api';
import { HoldEndings } from './hold-endings';

/** How long before its end administrators are reminded of a hold. */
const REMINDED_MILLISECONDS = 7 * DAY_MILLISECONDS;

/** Ends holds whose time is over, and deletes copies that no hold needs any more. */
@Injectable()
export class HoldExpiry {
  private readonly logger = new Logger(HoldExpiry.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly store: LegalHoldStore,
    private readonly endings: HoldEndings,
    private readonly pause: ErasurePauseConfig,
    background: BackgroundWork,
    attention: Attention,
  ) {
    background.add({
      step: () => this.expire(),
      onError: (error) => this.logger.warn({ error }, 'Legal holds could not be ended.'),
      idleMilliseconds: MINUTE_MILLISECONDS,
    });
    attention.add(() => this.ending());
  }

  /** Ends all holds that are due. */
  async expire(): Promise<null> {
    for (const { id } of await this.store.endingBy(this.clock.now())) {
      await this.database.write(async (manager) => {
        const hold = await this.store.findLocked(manager, id);
        // Another instance may have ended it, and an administrator may have prolonged it.
        if (hold?.status === 'active' && hold.until !== null && hold.until <= this.clock.now()) {
          await this.endings.end(manager, hold, null);
        }
      });
    }
    if (!this.pause.RETENTION_PAUSED) {
      await this.store.deleteCopies();
    }
    return null;
  }

  private async ending(): Promise<AttentionItem[]> {
    const now = this.clock.now();
    const holds = await this.store.endingBy(new Date(now.getTime() + REMINDED_MILLISECONDS));
    return holds.flatMap(({ id, until }) =>
      until === null
        ? []
        : [
            {
              kind: 'hold_ending' as const,
              since: new Date(until.getTime() - REMINDED_MILLISECONDS),
              count: Math.max(0, Math.ceil((until.getTime() - now.getTime()) / DAY_MILLISECONDS)),
              target: String(id),
            },
          ],
    );
  }
}
