import { Injectable, Logger } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Clock } from '../../common/clock';
import { HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { AttemptLogEntity } from './attempts/attempt-log.entity';
import { VerificationCodeEntity } from './codes/verification-code.entity';

/** Removes what has expired, once an hour. Codes stay an hour longer: their time says when the next one may be sent. */
@Injectable()
export class AuthRetention {
  private readonly logger = new Logger(AuthRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Expired codes could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Removes what has expired. */
  async clean(): Promise<null> {
    const now = this.clock.now();
    const anHourAgo = new Date(now.getTime() - HOUR_MILLISECONDS);
    await this.database.write(async (manager) => {
      await manager.delete(VerificationCodeEntity, { expiresAt: LessThan(anHourAgo) });
      await manager.delete(AttemptLogEntity, { expiresAt: LessThan(now) });
    });
    return null;
  }
}
