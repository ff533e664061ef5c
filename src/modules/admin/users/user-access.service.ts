import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import {
  ACCOUNT_RESTORED,
  AccountAdministrationService,
  AccountClosingService,
  SessionService,
  User,
  userAudit,
  UserService,
} from '../../user/user.api';
import { AdminUserDto, LoggedOutUserDto, ReinstatedUserDto, RestoredUserDto, UnbannedUserDto } from './admin-user.dto';
import { BanUserDto } from './ban-user.dto';
import { ClosedUserDto } from './closed-user.dto';
import { RestoreUserDto } from './restore-user.dto';
import { UserActivityService } from './user-activity.service';

/** Revokes and restores access. The change applies from the user's next request. */
@Injectable()
export class UserAccessService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountAdministrationService,
    private readonly users: UserService,
    private readonly sessions: SessionService,
    private readonly closing: AccountClosingService,
    private readonly mails: MailQueue,
    private readonly activity: UserActivityService,
    private readonly events: DomainEvents,
  ) {}

  /**
   * @throws UserNotFoundError, LastAdminError
   * @throws ValidationFailedError when the end is in the past
   */
  async ban(id: number, { reason, until }: BanUserDto): Promise<AdminUserDto> {
    const bannedUntil = typeof until === 'string' ? new Date(until) : null;
    if (bannedUntil && bannedUntil <= this.clock.now()) {
      throw ValidationFailedError.of('until', 'not_allowed');
    }
    const user = await this.database.write(async (manager) => {
      const { before, after } = await this.accounts.ban(manager, id, reason, bannedUntil);
      await this.publish(manager, 'ban', { before, after, reason });
      return after;
    });
    return this.activity.describe(user);
  }

  /** @throws UserNotFoundError */
  async unban(id: number): Promise<UnbannedUserDto> {
    const { after, isLifted } = await this.database.write(async (manager) => {
      const change = await this.accounts.unban(manager, id);
      await this.publish(manager, 'unban', change);
      return change;
    });
    return { ...(await this.activity.describe(after)), unbanned: isLifted };
  }

  /** Lifts a suspension by a directory. @throws UserNotFoundError */
  async reinstate(id: number): Promise<ReinstatedUserDto> {
    const { before, after } = await this.database.write(async (manager) => {
      const change = await this.accounts.reinstate(manager, id);
      await this.publish(manager, 'reinstate', change);
      return change;
    });
    return { ...(await this.activity.describe(after)), reinstated: before.suspendedAt !== null };
  }

  /** Ends all sessions of the user. @throws UserNotFoundError */
  async revokeSessions(id: number): Promise<LoggedOutUserDto> {
    const { user, ended } = await this.database.write(async (manager) => {
      const unchanged = await this.users.lock(manager, id);
      const count = await this.sessions.endAll(manager, id);
      await this.publish(manager, 'revoke_sessions', { before: unchanged, after: unchanged });
      return { user: unchanged, ended: count };
    });
    return { ...(await this.activity.describe(user)), sessions_ended: ended };
  }

  /**
   * Closes an account without notifying its owner, and erases its content in the background, from now on.
   *
   * @param username the name of the account
   * @throws ScopeRequiredError, RecentSignInRequiredError
   * @throws UserNotFoundError, ValidationFailedError, AdminNotErasableError
   */
  async erase(caller: Principal, id: number, username: string): Promise<ClosedUserDto> {
    await this.sessions.assertRecentSignIn(caller);
    const { eraseAt } = await this.database.write(async (manager) => {
      const erased = await this.closing.eraseNow(manager, id, username);
      if (erased.isChanged) {
        const change = { id, userId: id, before: erased.user, after: null };
        await this.events.publish(manager, userAudit.change('erase', change));
      }
      return erased;
    });
    return { id, erase_at: eraseAt.toISOString() };
  }

  /**
   * Restores a closed account and notifies its owner by mail. An open account stays unchanged.
   *
   * @throws UserNotFoundError when it does not exist, or its erasure has started
   * @throws EmailAlreadyRegisteredError, UsernameTakenError
   */
  async restore(id: number, { username }: RestoreUserDto): Promise<RestoredUserDto> {
    const { user, isRestored } = await this.database.write(async (manager) => {
      const restored = await this.closing.restore(manager, id, username);
      if (restored.isRestored) {
        await this.mails.enqueue(manager, {
          mail: ACCOUNT_RESTORED,
          to: restored.user.email,
          language: await this.users.languageOf(restored.user),
          values: {},
        });
      }
      const { data, ...event } = userAudit.change('restore', { id, userId: id, before: null, after: restored.user });
      await this.events.publish(manager, { ...event, data: restored.isRestored ? data : { ...data, after: {} } });
      return restored;
    });
    return { ...(await this.activity.describe(user)), restored: isRestored };
  }

  private publish(
    manager: EntityManager,
    verb: string,
    { before, after, reason }: { before: User; after: User; reason?: string },
  ): Promise<void> {
    const { id } = before;
    return this.events.publish(manager, userAudit.change(verb, { id, userId: id, before, after, reason }));
  }
}
