import { Injectable, Logger } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { Clock } from '../../common/clock';
import { MINUTE_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { removeBatch } from '../../database/expired-rows';
import { LogoutTokenEntity } from './sign-in/ending/logout-token.entity';
import { SignInEntity } from './sign-in/sign-in.entity';

/** Removes expired sign-ins and logout tokens. */
@Injectable()
export class IdentityRetention {
  private readonly logger = new Logger(IdentityRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Sign-ins that are over could not be removed.'),
      idleMilliseconds: 10 * MINUTE_MILLISECONDS,
    });
  }

  /** Removes one batch of each table. Returns the milliseconds until the next batch, or null if nothing is left. */
  async clean(): Promise<number | null> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    const more = [
      await removeBatch(this.database, SignInEntity, { expiresAt }),
      await removeBatch(this.database, LogoutTokenEntity, { expiresAt }),
    ];
    return more.includes(true) ? 0 : null;
  }
}
