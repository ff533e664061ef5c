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

/** Longest delay of the event. The user's rights change on time without it. */
const IDLE_MILLISECONDS = MINUTE_MILLISECONDS;

/** Publishes the end of each membership once, and changes the account to `free`. */
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

  /** Handles the memberships that have ended. Returns the milliseconds until the next end. */
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

  /** The conditions ensure that only one instance publishes the end, and that a concurrent upgrade is not undone. */
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
