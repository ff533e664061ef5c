import { Injectable, Logger } from '@nestjs/common';
import { LessThanOrEqual, MoreThan, Not } from 'typeorm';
import { DomainEvents } from '../../../common/events/domain-events';
import { MINUTE_MILLISECONDS } from '../../../common/time';
import { BackgroundWork } from '../../../database/background-work';
import { Database } from '../../../database/database';
import { SharedClock } from '../../../database/shared-clock';
import { findRow, findRows } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { UserEntity } from '../account/user.entity';
import { membershipExpired } from '../account/user.events';

/** Users handled in one step. */
const BATCH = 100;

/** How late the event may be at most. What the user may do changes to the millisecond without it. */
const IDLE_MILLISECONDS = MINUTE_MILLISECONDS;

/** Publishes that a membership has ended, once for each end, and makes the account `free`. */
@Injectable()
export class MembershipRetention {
  private readonly logger = new Logger(MembershipRetention.name);

  constructor(
    private readonly database: Database,
    private readonly clock: SharedClock,
    private readonly events: DomainEvents,
    background: BackgroundWork,
  ) {
    background.add({
      step: () => this.expire(),
      onError: (error) => this.logger.warn({ error }, 'Ended memberships could not be handled.'),
      idleMilliseconds: IDLE_MILLISECONDS,
    });
  }

  /** Handles the memberships that have ended. Answers the milliseconds until the next end. */
  async expire(): Promise<number | null> {
    const now = this.clock.now();
    const ended = await findRows(
      this.database.manager,
      UserEntity,
      { membershipExpiresAt: LessThanOrEqual(now), membershipType: Not('free') },
      { order: { membershipExpiresAt: 'ASC' }, limit: BATCH },
    );
    for (const user of ended) {
      await this.expireOne(user);
    }
    if (ended.length === BATCH) {
      return 0;
    }
    const next = await findRow(
      this.database.manager,
      UserEntity,
      { membershipExpiresAt: MoreThan(now), membershipType: Not('free') },
      { members: ['membershipExpiresAt'], order: { membershipExpiresAt: 'ASC' } },
    );
    return next?.membershipExpiresAt ? Math.max(1, next.membershipExpiresAt.getTime() - now.getTime()) : null;
  }

  /**
   * The conditions see to it that only one instance publishes the end, and that nobody undoes an upgrade in between.
   */
  private async expireOne(user: UserEntity): Promise<void> {
    const { id, membershipType, membershipExpiresAt } = user;
    await this.database.write(async (manager) => {
      const affected = await updateRows(
        manager,
        UserEntity,
        { membershipType: 'free', updatedAt: this.clock.now() },
        { id, membershipType, membershipExpiresAt: membershipExpiresAt as Date },
      );
      if (affected === 1) {
        await this.events.publish(manager, membershipExpired(user));
      }
    });
  }
}
