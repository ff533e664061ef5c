import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../common/clock';
import { DomainEvents } from '../../common/events/domain-events';
import { AccountClosingService } from './closing/account-closing.service';
import { UserEntity } from './entities/user.entity';
import { PrincipalService } from './sessions/principal.service';
import { userBanned, userUnbanned } from './user.events';
import { UserChanges, UserService } from './user.service';

type BanState = Pick<UserEntity, 'status' | 'banReason' | 'bannedUntil'>;

/** What administrators do to accounts. Every method runs within `Database.write` and answers the account's new state. */
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
   * @param changed what the event names, as the fields are called on the wire
   * @throws UserNotFoundError
   * @throws UsernameTakenError
   * @throws LastAdminError when that would leave no administrator.
   */
  async change(manager: EntityManager, id: number, changes: UserChanges, changed: string[]): Promise<UserEntity> {
    if (changes.userType === 'normal') {
      await this.closing.assertNotLastAdministrator(manager, id);
    }
    return this.users.update(manager, id, changes, changed);
  }

  /**
   * The user's requests are answered with 403 from now on; sessions stay, for the time after the ban.
   *
   * @param until end of the ban; null for one without end
   * @throws UserNotFoundError
   * @throws LastAdminError
   */
  async ban(manager: EntityManager, id: number, reason: string | null, until: Date | null): Promise<UserEntity> {
    await this.closing.assertNotLastAdministrator(manager, id);
    const user = await this.users.lock(manager, id);
    const after = await this.setBan(manager, user, { status: 'banned', banReason: reason, bannedUntil: until });
    await this.events.publish(manager, userBanned(user, reason, until));
    return after;
  }

  /** Lifting a ban that is not there changes nothing and tells nobody. @throws UserNotFoundError */
  async unban(manager: EntityManager, id: number): Promise<UserEntity> {
    const user = await this.users.lock(manager, id);
    if (user.status === 'active') {
      return user;
    }
    const after = await this.setBan(manager, user, { status: 'active', banReason: null, bannedUntil: null });
    await this.events.publish(manager, userUnbanned(user));
    return after;
  }

  private async setBan(manager: EntityManager, user: UserEntity, ban: BanState): Promise<UserEntity> {
    const changes = { ...ban, updatedAt: this.clock.now() };
    await manager.update(UserEntity, { id: user.id }, changes);
    this.principals.forget(user.id);
    return manager.create(UserEntity, { ...user, ...changes });
  }
}
