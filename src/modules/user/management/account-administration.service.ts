import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { membershipEvent } from '../account/membership-change';
import { UserEntity } from '../account/user.entity';
import { userBanned, userUnbanned } from '../account/user.events';
import { PrincipalService } from '../sessions/principal.service';
import { AccountClosingService } from './account-closing.service';
import { UserChanges, UserService } from './user.service';

type BanState = Pick<UserEntity, 'status' | 'banReason' | 'bannedUntil'>;

/** An account before and after a change. */
export interface AccountChange {
  before: UserEntity;
  after: UserEntity;
}

/** What administrators do to accounts. Every method runs within `Database.write`. */
@Injectable()
export class AccountAdministrationService {
  constructor(
    private readonly users: UserService,
    private readonly closing: AccountClosingService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly principals: PrincipalService,
  ) {}

  /**
   * Changes an account that was locked in the same transaction, and tells what became of its membership.
   *
   * @param changed what the event names, as the fields are called on the wire; nothing: there is none
   * @throws UsernameTakenError
   */
  async change(
    manager: EntityManager,
    before: UserEntity,
    changes: UserChanges,
    changed: string[],
  ): Promise<UserEntity> {
    const after = await this.users.update(manager, before.id, changes, changed);
    const event = membershipEvent(before, after, this.clock.now());
    if (event) {
      await this.events.publish(manager, event);
    }
    return after;
  }

  /**
   * The user's requests are answered with 403 from now on; sessions stay, for the time after the ban.
   *
   * @param until end of the ban; null for one without end
   * @throws UserNotFoundError
   * @throws LastAdminError
   */
  async ban(manager: EntityManager, id: number, reason: string | null, until: Date | null): Promise<AccountChange> {
    await this.closing.assertNotLastAdministrator(manager, id);
    const before = await this.users.lock(manager, id);
    const after = await this.setBan(manager, before, { status: 'banned', banReason: reason, bannedUntil: until });
    await this.events.publish(manager, userBanned(before, reason, until));
    return { before, after };
  }

  /** Lifting a ban that is not in force tells nobody. @throws UserNotFoundError */
  async unban(manager: EntityManager, id: number): Promise<AccountChange & { isLifted: boolean }> {
    const before = await this.users.lock(manager, id);
    const isLifted = this.users.isBanned(before);
    if (before.status === 'active') {
      return { before, after: before, isLifted };
    }
    const after = await this.setBan(manager, before, { status: 'active', banReason: null, bannedUntil: null });
    if (isLifted) {
      await this.events.publish(manager, userUnbanned(before));
    }
    return { before, after, isLifted };
  }

  private async setBan(manager: EntityManager, user: UserEntity, ban: BanState): Promise<UserEntity> {
    const changes = { ...ban, updatedAt: this.clock.now() };
    await manager.update(UserEntity, { id: user.id }, changes);
    this.principals.forget(user.id);
    return manager.create(UserEntity, { ...user, ...changes });
  }
}
