import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { differences } from '../../../common/audit/audit-state';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { UserType } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import {
  ACCOUNT_DELETED,
  AccountAdministrationService,
  AccountClosingService,
  type PaidPlan,
  PasswordService,
  serviceAddress,
  User,
  userAudit,
  type UserChanges,
  UserDirectoryQuery,
  UserNotFoundError,
  UserService,
} from '../../user/user.api';
import { AdminUserDto } from './admin-user.dto';
import { ClosedUserDto } from './closed-user.dto';
import { CreateUserDto } from './create-user.dto';
import { UpdateUserDto } from './update-user.dto';
import { UserActivityService } from './user-activity.service';
import type { UserFieldsDto } from './user-fields.dto';

/**
 * Creates, changes and closes accounts for administrators. A change, its events and its log entry are one transaction.
 *
 * Start here in this folder. `user-access.service.ts` bans users, ends their sessions and restores closed accounts,
 * `user-directory.service.ts` finds accounts, and `user-activity.service.ts` adds usage to them.
 */
@Injectable()
export class UserAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly users: UserService,
    private readonly directory: UserDirectoryQuery,
    private readonly passwords: PasswordService,
    private readonly accounts: AccountAdministrationService,
    private readonly closing: AccountClosingService,
    private readonly activity: UserActivityService,
    private readonly mails: MailQueue,
    private readonly events: DomainEvents,
  ) {}

  /** An account that is open, or closed and not erased. @throws UserNotFoundError */
  async get(id: number): Promise<AdminUserDto> {
    const user = await this.directory.find(id);
    if (user === null || (user.deletedAt !== null && user.eraseAt === null)) {
      throw new UserNotFoundError();
    }
    return this.activity.describe(user);
  }

  /** @throws EmailAlreadyRegisteredError, UsernameTakenError, ValidationFailedError */
  async create(body: CreateUserDto): Promise<AdminUserDto> {
    const { email, username, password, user_type: userType, ...fields } = body;
    const isService = userType === 'service';
    if (isService && (email !== undefined || password !== undefined)) {
      throw ValidationFailedError.of(email === undefined ? 'password' : 'email', 'not_allowed');
    }
    const passwordHash = password === undefined ? null : await this.passwords.hash(password);
    const user = await this.database.write(async (manager) => {
      const account = { email: email ?? serviceAddress(), username, passwordHash, userType };
      const created = await this.users.create(manager, account);
      const changed = await this.apply(manager, created, fields);
      const { id } = changed;
      await this.events.publish(manager, userAudit.change('create', { id, userId: id, before: null, after: changed }));
      return changed;
    });
    return this.activity.describe(user);
  }

  /** @throws UserNotFoundError, UsernameTakenError, LastAdminError, ValidationFailedError */
  async update(id: number, body: UpdateUserDto): Promise<AdminUserDto> {
    const { lang: _lang, ...fields } = body;
    if (Object.keys(fields).length === 0) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    const user = await this.database.write(async (manager) => {
      if (fields.user_type === 'normal') {
        // Must precede the account's own lock, because code that needs several locks takes those of the administrators
        // first.
        await this.closing.assertNotLastAdministrator(manager, id);
      }
      const before = await this.users.lock(manager, id);
      assertSameKind(before, fields.user_type);
      const after = await this.apply(manager, before, fields);
      await this.events.publish(manager, userAudit.change('update', { id, userId: id, before, after }));
      return after;
    });
    return this.activity.describe(user);
  }

  /** Closes the account like its owner would, and notifies the owner. @throws UserNotFoundError, LastAdminError */
  async close(id: number): Promise<ClosedUserDto> {
    return this.database.write(async (manager) => {
      const { user: before, email, language, eraseAt } = await this.closing.close(manager, id);
      await this.mails.enqueue(manager, {
        mail: ACCOUNT_DELETED,
        to: email,
        language: await this.users.languageOf({ language }),
        values: { eraseAt: eraseAt.toISOString() },
      });
      await this.events.publish(manager, userAudit.change('delete', { id, userId: id, before, after: null }));
      return { id, erase_at: eraseAt.toISOString() };
    });
  }

  /** Returns the account's new state. Does not modify `user`. */
  private async apply(manager: EntityManager, user: User, fields: UpdateUserDto): Promise<User> {
    const changes = userChanges(user, fields, (plan) => this.users.endOfGivenPlan(user, plan));
    const wanted = { ...user, ...changes };
    const changed = Object.keys(differences(userAudit.state(user), userAudit.state(wanted)).after);
    if (changed.length === 0) {
      return user;
    }
    // The event goes to the user's own endpoints, and must not reveal that there is a note.
    const published = changed.filter((name) => name !== 'note');
    return this.accounts.change(manager, user, changes, published);
  }
}

/** A person's account has a login, and a service account has none. @throws ValidationFailedError */
function assertSameKind(user: User, wanted: UserType | undefined): void {
  if (wanted !== undefined && (wanted === 'service') !== (user.userType === 'service')) {
    throw ValidationFailedError.of('user_type', 'not_allowed');
  }
}

type Membership = Pick<User, 'membershipType' | 'membershipExpiresAt'>;

/**
 * The account changes of a body.
 *
 * @param endOfPlan the default end of a plan, if the body contains none
 * @throws ValidationFailedError when plan and end do not fit together
 */
function userChanges(
  user: Membership,
  body: UserFieldsDto & UpdateUserDto,
  endOfPlan: (plan: PaidPlan) => Date | null,
): UserChanges {
  return {
    ...(body.username !== undefined && { username: body.username }),
    ...(body.user_type !== undefined && { userType: body.user_type }),
    ...(body.quota_messages !== undefined && { quotaMessagesOverride: body.quota_messages }),
    ...(body.quota_tokens !== undefined && { quotaTokensOverride: body.quota_tokens }),
    ...(body.quota_storage !== undefined && { quotaStorageOverride: body.quota_storage }),
    ...(body.quota_embedding_tokens !== undefined && {
      quotaEmbeddingTokensOverride: body.quota_embedding_tokens,
    }),
    ...(body.local_login !== undefined && { localLogin: body.local_login }),
    ...(body.note !== undefined && { adminNote: body.note }),
    ...membershipChanges(user, body, endOfPlan),
  };
}

/** @throws ValidationFailedError when the end is set for a free plan */
function membershipChanges(
  user: Membership,
  body: UserFieldsDto,
  endOfPlan: (plan: PaidPlan) => Date | null,
): Partial<Membership> {
  const { membership_type, membership_expires_at } = body;
  if (membership_type === undefined && membership_expires_at === undefined) {
    return {};
  }
  const membershipType = membership_type ?? user.membershipType;
  const end = membership_expires_at ?? null;
  if (membershipType === 'free' && end !== null) {
    throw ValidationFailedError.of('membership_expires_at', 'conflicts');
  }
  if (membership_expires_at === undefined && membershipType !== 'free') {
    return { membershipType, membershipExpiresAt: endOfPlan(membershipType) };
  }
  return { membershipType, membershipExpiresAt: end === null ? null : new Date(end) };
}
