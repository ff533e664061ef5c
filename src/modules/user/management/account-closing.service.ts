import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import { DAY_MILLISECONDS } from '../../../common/time';
import { SharedClock } from '../../../database/shared-clock';
import { findRow, findRows } from '../../../database/statements/find';
import { updateRows } from '../../../database/statements/update';
import { mayCall } from '../account/account-status';
import { User, UserEntity } from '../account/user.entity';
import { AdminNotErasableError, LastAdminError, UserNotFoundError } from '../account/user.errors';
import { userDeleted, userRestored } from '../account/user.events';
import { normalizeUsername, usernameKey } from '../account/username';
import { PrincipalService } from '../sessions/principal.service';
import { SessionService } from '../sessions/session.service';
import { ClosingConfig } from './closing.config';
import { refusingDuplicates, type UserChanges, UserService } from './user.service';

/** A closed account: its former owner, and when its content will be erased. */
export interface ClosedAccount {
  /** The account before it was closed. */
  user: User;
  email: string;
  language: string | null;
  eraseAt: Date;
}

type Rights = Pick<UserChanges, 'userType' | 'membershipType' | 'membershipExpiresAt'>;

/** The result of restoring an account. */
export interface RestoredAccount {
  user: UserEntity;
  /** False if it was already open. */
  isRestored: boolean;
}

/**
 * Closes and restores accounts. Access ends with the commit, and name and address are free from then on.
 * `AccountRetention` erases the content some days later. Until then, the account can be restored.
 */
@Injectable()
export class AccountClosingService {
  constructor(
    private readonly clock: Clock,
    private readonly sharedClock: SharedClock,
    private readonly config: ClosingConfig,
    private readonly events: DomainEvents,
    private readonly users: UserService,
    private readonly sessions: SessionService,
    private readonly principals: PrincipalService,
  ) {}

  /**
   * Within `Database.write`: closes the account and ends its sessions.
   *
   * @throws UserNotFoundError when the account does not exist or is already closed
   * @throws LastAdminError
   */
  async close(manager: EntityManager, userId: number): Promise<ClosedAccount> {
    await this.assertNotLastAdministrator(manager, userId);
    const user = await this.users.lock(manager, userId);
    const eraseAt = new Date(this.sharedClock.now().getTime() + this.config.ACCOUNT_ERASE_DAYS * DAY_MILLISECONDS);
    await this.closeLocked(manager, user, eraseAt);
    return { user, email: user.email, language: user.language, eraseAt };
  }

  /**
   * Within `Database.write`: closes the account unless it is closed, and makes its erasure due now.
   *
   * @param username must be the name of the account, which prevents erasing another account by mistake
   * @returns the account, and whether this call changed it; another call may have done so
   * @throws UserNotFoundError when the account does not exist or is erased
   * @throws ValidationFailedError when the name differs
   * @throws AdminNotErasableError
   */
  async eraseNow(
    manager: EntityManager,
    userId: number,
    username: string,
  ): Promise<{ user: User; eraseAt: Date; isChanged: boolean }> {
    const user = await this.lock(manager, userId);
    if (user === null || (user.deletedAt !== null && user.eraseAt === null)) {
      throw new UserNotFoundError();
    }
    if (normalizeUsername(username) !== user.username) {
      throw ValidationFailedError.of('username', 'not_allowed');
    }
    if (user.userType === 'admin') {
      throw new AdminNotErasableError();
    }
    const now = this.sharedClock.now();
    if (user.deletedAt === null) {
      await this.closeLocked(manager, user, now);
    } else if (user.eraseAt !== null && user.eraseAt <= now) {
      return { user, eraseAt: user.eraseAt, isChanged: false };
    } else {
      await updateRows(manager, UserEntity, { eraseAt: now, updatedAt: this.clock.now() }, { id: userId });
    }
    return { user, eraseAt: now, isChanged: true };
  }

  private async closeLocked(manager: EntityManager, user: User, eraseAt: Date): Promise<void> {
    const deletedAt = this.clock.now();
    const { id } = user;
    await updateRows(
      manager,
      UserEntity,
      {
        email: `#${id}`,
        usernameKey: `#${id}`,
        formerEmail: user.email,
        passwordHash: null,
        updatedAt: deletedAt,
        deletedAt,
        eraseAt,
      },
      { id },
    );
    await this.sessions.endAll(manager, id);
    await this.events.publish(manager, userDeleted(user));
  }

  /**
   * Within `Database.write`: restores a closed account, without its sessions and its password, because the person who
   * closed it may have known the password. Its API keys work again. An open account stays unchanged.
   *
   * @param username a new name, if another account has taken the former one
   * @throws UserNotFoundError when the account does not exist, or its erasure has started
   * @throws EmailAlreadyRegisteredError, UsernameTakenError when another account has taken the address or the name
   */
  async restore(manager: EntityManager, userId: number, username?: string): Promise<RestoredAccount> {
    const user = await this.lock(manager, userId);
    if (!user) {
      throw new UserNotFoundError();
    }
    if (user.deletedAt === null) {
      return { user, isRestored: false };
    }
    const now = this.clock.now();
    const isDue = user.eraseAt === null || user.eraseAt <= this.sharedClock.now() || user.releasedAt !== null;
    if (user.formerEmail === null || isDue) {
      throw new UserNotFoundError();
    }
    const name = username === undefined ? user.username : normalizeUsername(username);
    const changes = {
      email: user.formerEmail,
      formerEmail: null,
      username: name,
      usernameKey: usernameKey(name),
      updatedAt: now,
      deletedAt: null,
      eraseAt: null,
    };
    await refusingDuplicates(updateRows(manager, UserEntity, changes, { id: userId }));
    // The account's API keys work again.
    this.principals.forget(userId);
    const restored = { ...user, ...changes };
    await this.events.publish(manager, userRestored(restored));
    return { user: restored, isRestored: true };
  }

  /** Within `Database.write`: reads an account, open or closed, and locks it until the transaction ends. */
  lock(manager: EntityManager, userId: number): Promise<UserEntity | null> {
    return findRow(manager, UserEntity, { id: userId }, { withDeleted: true, lock: 'wait' });
  }

  /**
   * Within `Database.write`: changes the rights that a closed account will have if it is restored. Publishes no event.
   */
  async changeClosed(manager: EntityManager, userId: number, rights: Rights): Promise<void> {
    await updateRows(manager, UserEntity, { ...rights, updatedAt: this.clock.now() }, { id: userId });
  }

  /**
   * Within `Database.write`: call it before an administrator is demoted, banned, suspended or deleted, and before
   * locking the account itself. It locks all administrators in the order of their ids. If two administrators are
   * removed concurrently, one stays, and no deadlock occurs.
   *
   * @throws LastAdminError when the user is the only administrator left
   */
  async assertNotLastAdministrator(manager: EntityManager, userId: number): Promise<void> {
    const administrators = await findRows(
      manager,
      UserEntity,
      { userType: 'admin' },
      { members: ['id', 'status', 'bannedUntil', 'suspendedAt'], order: { id: 'ASC' }, lock: 'wait' },
    );
    const others = administrators.filter((user) => user.id !== userId && mayCall(user, this.clock.now()));
    if (administrators.some(({ id }) => id === userId) && others.length === 0) {
      throw new LastAdminError();
    }
  }
}
