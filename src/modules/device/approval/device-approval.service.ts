import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { DomainEvents } from '../../../common/events/domain-events';
import { negotiateLanguage } from '../../../common/i18n/negotiate-language';
import { RateLimitExceededError } from '../../../common/rate-limit/rate-limit.errors';
import type { RequestContext } from '../../../common/security/request-context';
import {
  AccountBannedError,
  IdentitySuspendedError,
  SessionRevokedError,
} from '../../../common/security/security.errors';
import { normalForm } from '../../../common/validation/normal-form';
import { Database } from '../../../database/database';
import { findLocked } from '../../../database/statements/row-lock';
import { updateRows } from '../../../database/statements/update';
import { MailQueue } from '../../../integrations/mail/mail-queue';
import { AttemptLog, type AttemptRule, DeviceTokens, InvalidCodeError } from '../../auth/auth.api';
import { SessionEnds } from '../../identity/identity.api';
import {
  deviceApproved,
  type Session,
  sessionAudit,
  type SessionOrigin,
  SessionService,
  type User,
  UserService,
} from '../../user/user.api';
import { DeviceCodeEntity, type DeviceDecision } from '../codes/device-code.entity';
import { DEVICE_APPROVED } from '../device.mails';

const WINDOW_SECONDS = 600;

/** Wrong codes that a user may enter. */
const OF_USER: AttemptRule = { kind: 'device-user', limits: [{ count: 10, seconds: WINDOW_SECONDS }] };

/** Wrong codes from one address. */
const OF_ADDRESS: AttemptRule = { kind: 'device-address', limits: [{ count: 100, seconds: WINDOW_SECONDS }] };

/** Users' decisions about command-line programs. */
@Injectable()
export class DeviceApprovalService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly attempts: AttemptLog,
    private readonly tokens: DeviceTokens,
    private readonly sessions: SessionService,
    private readonly users: UserService,
    private readonly ends: SessionEnds,
    private readonly mails: MailQueue,
  ) {}

  /**
   * Finds the program of a code, and binds the code to this user. Each attempt is counted before the code is compared, so
   * that concurrent guesses count too.
   *
   * @throws InvalidCodeError if the code is wrong, expired, decided, or bound to another user
   * @throws RateLimitExceededError after too many wrong codes
   */
  async lookUp({ principal, address }: RequestContext, typed: string): Promise<DeviceCodeEntity> {
    const { userId } = principal;
    const found = await this.database.write(async (manager) => {
      const wait = await this.countAttempt(manager, userId, address);
      if (wait instanceof Error) {
        return wait;
      }
      const code = await findLocked(manager, DeviceCodeEntity, { userCode: normalized(typed) });
      if (code === null || !this.isOpen(code) || (code.userId !== null && code.userId !== userId)) {
        return new InvalidCodeError('user_code');
      }
      await this.attempts.removeLast(manager, OF_USER, String(userId));
      await this.attempts.removeLast(manager, OF_ADDRESS, address);
      await updateRows(manager, DeviceCodeEntity, { userId }, { id: code.id });
      return code;
    });
    // Errors are returned, because the transaction stores the attempt.
    if (found instanceof Error) {
      throw found;
    }
    return found;
  }

  /**
   * Approves or denies a program that the same user has looked up. An approval opens the session of the program.
   *
   * @throws InvalidCodeError if the user has not looked the code up, or it has expired or was decided
   * @throws SessionRevokedError, AccountBannedError, IdentitySuspendedError
   */
  async decide(context: RequestContext, typed: string, decision: DeviceDecision): Promise<void> {
    const { userId } = context.principal;
    await this.database.write(async (manager) => {
      const code = await findLocked(manager, DeviceCodeEntity, { userCode: normalized(typed) });
      if (code === null || code.userId !== userId || !this.isOpen(code)) {
        throw new InvalidCodeError('user_code');
      }
      const session = decision === 'approve' ? await this.approve(manager, context, code) : null;
      await updateRows(manager, DeviceCodeEntity, { decision, sessionId: session?.id ?? null }, { id: code.id });
    });
  }

  private isOpen({ decision, expiresAt }: DeviceCodeEntity): boolean {
    return decision === null && expiresAt > this.clock.now();
  }

  /** Returns the error if no attempt is left. */
  private async countAttempt(
    manager: EntityManager,
    userId: number,
    address: string,
  ): Promise<RateLimitExceededError | null> {
    for (const [rule, whom] of [
      [OF_USER, String(userId)],
      [OF_ADDRESS, address],
    ] as const) {
      const wait = await this.attempts.take(manager, rule, whom);
      if (wait > 0) {
        return new RateLimitExceededError(rule.limits[0]?.count ?? 0, wait);
      }
    }
    return null;
  }

  private async approve(manager: EntityManager, context: RequestContext, code: DeviceCodeEntity): Promise<Session> {
    const user = await this.lockUser(manager, context);
    const session = await this.tokens.open(manager, {
      userId: user.id,
      address: code.address,
      userAgent: code.userAgent,
      origin: await this.originOf(user.id, context.principal.sessionId ?? 0),
      device: { scope: code.scope, clientId: code.clientId, surface: code.surface, deviceName: code.deviceName },
    });
    await this.events.publish(manager, deviceApproved(session));
    await this.events.publish(
      manager,
      sessionAudit.change('approve', { id: session.id, userId: user.id, before: null, after: session }),
    );
    await this.mails.enqueue(manager, {
      mail: DEVICE_APPROVED,
      to: user.email,
      language: negotiateLanguage({ stored: user.language, accepted: [context.language] }),
      values: {
        program: code.clientId ?? code.surface ?? code.userAgent ?? '-',
        device: code.deviceName ?? '-',
        address: code.address,
        approvedAt: session.createdAt.toISOString(),
      },
    });
    return session;
  }

  /** The user, whose session cannot be ended before the transaction ends. */
  private async lockUser(manager: EntityManager, { principal }: RequestContext): Promise<User> {
    const { userId, sessionId } = principal;
    const user = await this.users.lock(manager, userId);
    if (user.suspendedAt !== null) {
      throw new IdentitySuspendedError();
    }
    if (this.users.isBanned(user)) {
      throw new AccountBannedError();
    }
    if (!(await this.sessions.holds(manager, userId, sessionId ?? 0))) {
      throw new SessionRevokedError();
    }
    return user;
  }

  /** The identity of the sign-in that approves. Without the provider's session id, whose logout does not end devices. */
  private async originOf(userId: number, sessionId: number): Promise<SessionOrigin | null> {
    const session = await this.sessions.find(userId, sessionId);
    if (session?.identityId === null) {
      return null;
    }
    const endsAt = session && (await this.ends.ofIdentity(session.identityId));
    if (!endsAt) {
      throw new SessionRevokedError();
    }
    return { identityId: session.identityId, providerSession: null, endsAt, assertion: null, logoutHint: null };
  }
}

/** The stored form of a code that a user typed. */
function normalized(typed: string): string {
  return normalForm(typed, 'NFKC')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
}
