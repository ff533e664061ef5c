import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { type Language, shippedLanguage } from '../../../common/i18n/language';
import type { Tier } from '../../../common/security/principal';
import { AccountBannedError, IdentitySuspendedError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { isUniqueViolation } from '../../../database/database.errors';
import { findRow, findRows, rowExists } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { RowQuery } from '../../../database/statements/query';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { effectiveMembership, isBanned, tierOf } from '../account/account-status';
import { NewUser, newUserRow } from '../account/new-user';
import { addMonths, PaidPlan, PLAN_MONTHS } from '../account/plans';
import { toUserDto, UserDto } from '../account/user.dto';
import { MembershipType, type User, UserEntity } from '../account/user.entity';
import { EmailAlreadyRegisteredError, UsernameTakenError, UserNotFoundError } from '../account/user.errors';
import { userRegistered, userUpdated } from '../account/user.events';
import { usernameKey } from '../account/username';
import { PrincipalService } from '../sessions/principal.service';
import { SettingsService } from '../settings/settings.service';

/** Fields that `update` may change. */
export type UserChanges = Partial<
  Pick<
    UserEntity,
    | 'username'
    | 'bio'
    | 'language'
    | 'avatar'
    | 'settings'
    | 'userType'
    | 'membershipType'
    | 'membershipExpiresAt'
    | 'quotaMessagesOverride'
    | 'quotaTokensOverride'
    | 'quotaStorageOverride'
    | 'quotaEmbeddingTokensOverride'
    | 'adminNote'
    | 'localLogin'
  >
>;

/** Finds an open account by id. */
const USER = new RowQuery(UserEntity, ({ id, deletedAt }) => `WHERE ${id} = ? AND ${deletedAt} IS NULL`);

/**
 * Finds, creates, locks and changes accounts. The other files of this folder have special changes: administrators'
 * operations (`AccountAdministrationService`), closing and restoring (`AccountClosingService`), and the first
 * administrator. `UserDirectoryQuery` finds many users at once.
 */
@Injectable()
export class UserService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly principals: PrincipalService,
    private readonly settings: SettingsService,
  ) {}

  /** The language of mails to an account: its own, or else the installation's. */
  async languageOf({ language }: Pick<User, 'language'>): Promise<Language> {
    return shippedLanguage(language ?? '') ?? (await this.settings.defaultLanguage());
  }

  findById(id: number): Promise<UserEntity | null> {
    return USER.first(this.database.manager, [id]);
  }

  /**
   * The person with this address. Service accounts have no usable address.
   *
   * @param email normalized
   */
  findByEmail(email: string): Promise<UserEntity | null> {
    return findRow(this.database.manager, UserEntity, { email, userType: Not('service') });
  }

  isUsernameTaken(username: string): Promise<boolean> {
    return rowExists(this.database.manager, UserEntity, { usernameKey: usernameKey(username) });
  }

  /** Whether there is an administrator, including banned ones and closed accounts that can be restored. */
  hasAdministrator(): Promise<boolean> {
    const userType = 'admin';
    return rowExists(
      this.database.manager,
      UserEntity,
      [
        { userType, deletedAt: IsNull() },
        { userType, eraseAt: Not(IsNull()) },
      ],
      { withDeleted: true },
    );
  }

  /** Administrators with an open account who are neither banned nor suspended. */
  async administrators(): Promise<User[]> {
    const administrators = await findRows(this.database.manager, UserEntity, {
      userType: 'admin',
      deletedAt: IsNull(),
    });
    return administrators.filter((user) => this.refusalOf(user) === null);
  }

  /** @throws UserNotFoundError when the account does not exist or is closed */
  async get(id: number): Promise<UserEntity> {
    const user = await this.findById(id);
    if (!user) {
      throw new UserNotFoundError();
    }
    return user;
  }

  /** The account for its owner. */
  async describe(id: number): Promise<UserDto> {
    return this.toDto(await this.get(id));
  }

  toDto(user: UserEntity): UserDto {
    return toUserDto(user, this.clock.now());
  }

  /** The plan in effect now. */
  effectiveMembership(user: Pick<UserEntity, 'membershipType' | 'membershipExpiresAt'>): MembershipType {
    return effectiveMembership(user, this.clock.now());
  }

  /**
   * The default end of a plan that an administrator grants: the end of the current paid plan (null for none). Without a
   * current plan, it lasts as long as a purchased one.
   */
  endOfGivenPlan(user: Pick<UserEntity, 'membershipType' | 'membershipExpiresAt'>, plan: PaidPlan): Date | null {
    return this.effectiveMembership(user) === 'free'
      ? addMonths(this.clock.now(), PLAN_MONTHS[plan])
      : user.membershipExpiresAt;
  }

  /** The current caller class. */
  tierOf(user: UserEntity): Tier {
    return tierOf(user, this.clock.now());
  }

  /** Why an authenticated user may not sign in. Null if they may. */
  refusalOf(
    user: Pick<UserEntity, 'status' | 'bannedUntil' | 'suspendedAt'>,
  ): AccountBannedError | IdentitySuspendedError | null {
    if (user.suspendedAt !== null) {
      return new IdentitySuspendedError();
    }
    return this.isBanned(user) ? new AccountBannedError() : null;
  }

  isBanned(user: Pick<UserEntity, 'status' | 'bannedUntil'>): boolean {
    return isBanned(user, this.clock.now());
  }

  /**
   * Within `Database.write`: creates an account. If calls compete, the unique indexes decide.
   *
   * @throws EmailAlreadyRegisteredError
   * @throws UsernameTakenError
   */
  async create(manager: EntityManager, user: NewUser): Promise<UserEntity> {
    const row = await refusingDuplicates(insertEntity(manager, UserEntity, newUserRow(user, this.clock.now())));
    await this.events.publish(manager, userRegistered(row));
    return row;
  }

  /**
   * Within `Database.write`: reads an account and locks it until the transaction ends.
   *
   * @throws UserNotFoundError when the account does not exist or is closed
   */
  async lock(manager: EntityManager, id: number): Promise<UserEntity> {
    const user = await findLocked(manager, UserEntity, { id });
    if (!user) {
      throw new UserNotFoundError();
    }
    return user;
  }

  /** Within `Database.write`: locks all administrators in the order of their ids. Returns those who may sign in. */
  async lockAdministrators(manager: EntityManager): Promise<Pick<UserEntity, 'id' | 'localLogin'>[]> {
    const administrators = await findRows(
      manager,
      UserEntity,
      { userType: 'admin' },
      { members: ['id', 'status', 'bannedUntil', 'suspendedAt', 'localLogin'], order: { id: 'ASC' }, lock: 'wait' },
    );
    return administrators.filter((user) => this.refusalOf(user) === null);
  }

  /**
   * Within `Database.write`: changes the address of a locked account to one from an authoritative source.
   *
   * @throws EmailAlreadyRegisteredError
   */
  async changeEmail(manager: EntityManager, user: UserEntity, email: string): Promise<UserEntity> {
    const changes = { email, updatedAt: this.clock.now() };
    await refusingDuplicates(updateRows(manager, UserEntity, changes, { id: user.id }));
    this.principals.forget(user.id);
    const changed = { ...user, ...changes };
    await this.events.publish(manager, userUpdated(changed, ['email']));
    return changed;
  }

  /**
   * Within `Database.write`: changes an account and returns its new state.
   *
   * @param changed names of the changed fields for the event, as in the API; if empty, no event is published
   * @throws UserNotFoundError when the account does not exist or is closed
   * @throws UsernameTakenError
   */
  async update(manager: EntityManager, id: number, changes: UserChanges, changed: string[]): Promise<UserEntity> {
    const names = changes.username === undefined ? {} : { usernameKey: usernameKey(changes.username) };
    const updatedAt = this.clock.now();
    await refusingDuplicates(updateRows(manager, UserEntity, { ...changes, ...names, updatedAt }, { id }));
    if (changes.userType === 'admin') {
      await updateRows(manager, UserEntity, { administratorSince: updatedAt }, { id, administratorSince: IsNull() });
    }
    const user = await findRow(manager, UserEntity, { id });
    if (!user) {
      throw new UserNotFoundError();
    }
    if (changed.length > 0) {
      await this.events.publish(manager, userUpdated(user, changed));
    }
    this.principals.forget(id);
    return user;
  }
}

/**
 * Waits until an account is written. The unique indexes prevent duplicate names and addresses.
 *
 * @throws EmailAlreadyRegisteredError, UsernameTakenError
 */
export async function refusingDuplicates<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    if (isUniqueViolation(error, 'username')) {
      throw new UsernameTakenError();
    }
    throw isUniqueViolation(error, 'email') ? new EmailAlreadyRegisteredError() : error;
  }
}
