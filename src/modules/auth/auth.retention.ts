import { Injectable, Logger } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { removeBatch } from '../../database/expired-rows';
import { SharedClock } from '../../database/shared-clock';
import { AttemptLogEntity } from './attempts/attempt-log.entity';
import { KnownClientEntity } from './clients/known-client.entity';
import { KnownClients } from './clients/known-clients';
import { VerificationCodeEntity } from './codes/verification-code.entity';
import { InvitationEntity } from './invitations/invitation.entity';

/** How long an expired invitation is kept. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** Pause after each transaction, so that requests are not delayed. */
const PAUSE_MILLISECONDS = 50;

/** Removes expired codes, attempt logs and invitations, and clients without a recent sign-in, once an hour. */
@Injectable()
export class AuthRetention {
  private readonly logger = new Logger(AuthRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly clients: KnownClients,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Expired codes could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Removes one batch of each table. Returns the milliseconds until the next batch, or null if nothing is left. */
  async clean(): Promise<number | null> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    const longAgo = new Date(this.clock.now().getTime() - KEPT_MILLISECONDS);
    const more = [
      await removeBatch(this.database, VerificationCodeEntity, { expiresAt }),
      await removeBatch(this.database, AttemptLogEntity, { expiresAt }),
      await removeBatch(this.database, KnownClientEntity, this.clients.outdated()),
      await removeBatch(this.database, InvitationEntity, { expiresAt: LessThanOrEqual(longAgo) }),
    ];
    return more.includes(true) ? PAUSE_MILLISECONDS : null;
  }
}
