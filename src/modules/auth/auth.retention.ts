import { Injectable, Logger } from '@nestjs/common';
import { type EntityTarget, type FindOptionsWhere, In, LessThanOrEqual } from 'typeorm';
import { Clock } from '../../common/clock';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../common/time';
import { BackgroundWork } from '../../database/background-work';
import { Database } from '../../database/database';
import { deleteRows } from '../../database/statements/delete';
import { findRows } from '../../database/statements/find';
import { AttemptLogEntity } from './attempts/attempt-log.entity';
import { KnownClientEntity } from './clients/known-client.entity';
import { KnownClients } from './clients/known-clients';
import { VerificationCodeEntity } from './codes/verification-code.entity';
import { InvitationEntity } from './invitations/invitation.entity';

/** Rows removed in one transaction. */
const BATCH = 200;

/** How long an invitation is kept that has ended. */
const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** How long to wait after each transaction, so that requests do not notice. */
const PAUSE_MILLISECONDS = 50;

interface Row {
  id: number;
}

/** Removes what has expired, once an hour: codes, counted attempts, invitations, and clients that have not signed in for long. */
@Injectable()
export class AuthRetention {
  private readonly logger = new Logger(AuthRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly clients: KnownClients,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.clean(),
      onError: (error) => this.logger.warn({ error }, 'Expired codes could not be removed.'),
      idleMilliseconds: HOUR_MILLISECONDS,
    });
  }

  /** Removes a batch of each kind; answers the milliseconds until the next ones, null when nothing is left. */
  async clean(): Promise<number | null> {
    const expiresAt = LessThanOrEqual(this.clock.now());
    const longAgo = new Date(this.clock.now().getTime() - KEPT_MILLISECONDS);
    const removed = [
      await this.remove(VerificationCodeEntity, { expiresAt }),
      await this.remove(AttemptLogEntity, { expiresAt }),
      await this.remove(KnownClientEntity, this.clients.outdated()),
      await this.remove(InvitationEntity, { expiresAt: LessThanOrEqual(longAgo) }),
    ];
    return Math.max(...removed) === BATCH ? PAUSE_MILLISECONDS : null;
  }

  private async remove<Entity extends Row>(entity: EntityTarget<Entity>, where: object): Promise<number> {
    const rows = await findRows(this.database.manager, entity, where, { members: ['id'], limit: BATCH });
    if (rows.length > 0) {
      // The condition again: a row may be in use since it was read.
      const condition = { ...where, id: In(rows.map(({ id }) => id)) } as FindOptionsWhere<Entity>;
      await this.database.write((manager) => deleteRows(manager, entity, condition));
    }
    return rows.length;
  }
}
