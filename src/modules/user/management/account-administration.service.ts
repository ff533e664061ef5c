import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { updateRows } from '../../../database/statements/update';
import { membershipEvent } from '../account/membership-change';
import { UserEntity } from '../account/user.entity';
import { userBanned, userReinstated, userSuspended, userUnbanned } from '../account/user.events';
import { PrincipalService } from '../sessions/principal.service';
import { SessionService } from '../sessions/session.service';
import { AccountClosingService } from './account-closing.service';
import { UserChanges, UserService } from './user.service';

type BanState = Pick<UserEntity, 'status' | 'banReason' | 'bannedUntil'>;

/** An account before and after a change. */
export interface AccountChange {
  before: UserEntity;
  after: UserEntity;
}

/** Administrators' operations on accounts. Every method runs within `Database.write`. */
@Injectable()
export class AccountAdministrationService {
  constructor(
    private readonly users: UserService,
    private readonly closing: AccountClosingService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly principals: PrincipalService,
    private readonly sessions: SessionService,
  ) {}

  /**
   * Changes an account that the same transaction has locked, and publishes the change of its membership.
   *
   * @param changed names of the changed fields for the event, as in the API; if empty, no event is published
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
   * From now on, the user's requests are rejected with 403. The sessions stay, and work again after the ban.
   *
   * @param until end of the ban; null for a ban without end
   * @throws UserNotFoundError
   * @throws LastAdminError
   */
  async ban(manager: EntityManager, id: number, reason: string | null, until: Date | null): Promise<AccountChange> {
    await this.closing.assertNotLastAdministrator(manager, id);
    const before = await this.users.lock(manager, id);
    const after = await this.setBan(manager, before, { status: 'banned', banReason: reason, bannedUntil: until });
    // Browsers keep their sessions for the end of the ban. A program must be approved again.
    await this.sessions.endDevices(manager, id);
    await this.events.publish(manager, userBanned(before, reason, until));
    return { before, after };
  }

  /** An expired ban is lifted without an event. @throws UserNotFoundError */
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

  /**
   * Revokes the access of a user who left the company: sessions end, running requests are stopped, keys and webhooks
   * are paused. If the account is already suspended, nothing changes.
   *
   * @throws UserNotFoundError
   * @throws LastAdminError
   */
  async suspend(manager: EntityManager, id: number): Promise<AccountChange> {
    await this.closing.assertNotLastAdministrator(manager, id);
    const before = await this.users.lock(manager, id);
    if (before.suspendedAt !== null) {
      return { before, after: before };
    }
    const after = await this.setSuspension(manager, before, this.clock.now());
    await this.sessions.endAll(manager, id);
    await this.events.publish(manager, userSuspended(before));
    return { before, after };
  }

  /** Keys and webhooks work again. The user needs a new sign-in for a session. @throws UserNotFoundError */
  async reinstate(manager: EntityManager, id: number): Promise<AccountChange> {
    const before = await this.users.lock(manager, id);
    if (before.suspendedAt === null) {
      return { before, after: before };
    }
    const after = await this.setSuspension(manager, before, null);
    await this.events.publish(manager, userReinstated(before));
    return { before, after };
  }

  private async setSuspension(manager: EntityManager, user: UserEntity, suspendedAt: Date | null): Promise<UserEntity> {
    const changes = { suspendedAt, updatedAt: this.clock.now() };
    await updateRows(manager, UserEntity, changes, { id: user.id });
    this.principals.forget(user.id);
    return { ...user, ...changes };
  }

  private async setBan(manager: EntityManager, user: UserEntity, ban: BanState): Promise<UserEntity> {
    const changes = { ...ban, updatedAt: this.clock.now() };
    await updateRows(manager, UserEntity, changes, { id: user.id });
    this.principals.forget(user.id);
    return { ...user, ...changes };
  }
}
