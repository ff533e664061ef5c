import { Injectable, Logger } from '@nestjs/common';
import { IsNull, LessThanOrEqual, Not } from 'typeorm';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { removeBatch } from '../../../database/expired-rows';
import { SharedClock } from '../../../database/shared-clock';
import { findRows } from '../../../database/statements/find';
import { SessionService } from '../../user/user.api';
import { DeviceCodeEntity } from './device-code.entity';

/** Removes expired codes, and the sessions of programs that never fetched their tokens. */
@Injectable()
export class DeviceCodeRetention {
  private readonly logger = new Logger(DeviceCodeRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly sessions: SessionService,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Expired device codes could not be removed.'),
      idleMilliseconds: 10 * MINUTE_MILLISECONDS,
    });
  }

  /** Removes one batch. Returns the milliseconds until the next batch, or null if nothing is left. */
  async clean(): Promise<number | null> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    const unclaimed = { expiresAt, sessionId: Not(IsNull()), usedAt: IsNull() };
    const rows = await findRows(this.database.manager, DeviceCodeEntity, unclaimed);
    for (const { userId, sessionId } of rows) {
      await this.sessions.revoke(userId ?? 0, sessionId);
    }
    return (await removeBatch(this.database, DeviceCodeEntity, { expiresAt })) ? 0 : null;
  }
}
