import { Injectable } from '@nestjs/common';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { type Principal, WITHOUT_KEY } from '../../../common/security/principal';
import {
  AccountBannedError,
  IdentitySuspendedError,
  SessionRevokedError,
} from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { isBanned, tierOf } from '../account/account-status';
import { UserEntity } from '../account/user.entity';
import { SessionEntity } from './session.entity';
import { SessionRetention } from './session.retention';

/** Users that are kept in memory at most, about 1 KB each. */
const MOST_USERS = 10_000;

const USER_MEMBERS = [
  'id',
  'userType',
  'membershipType',
  'membershipExpiresAt',
  'status',
  'bannedUntil',
  'suspendedAt',
  'language',
  'settings',
] as const;

type IdentityUser = Pick<UserEntity, (typeof USER_MEMBERS)[number]>;

/** What is known of a session; null when it has ended, or its owner's account is closed. */
type Identity = {
  user: IdentityUser;
  groupIds: readonly number[];
  expiresAt: Date | null;
  keysEndAt: Date | null;
} | null;

/** What depends on the user alone, whatever the request was made with. */
export type UserPrincipal = Pick<
  Principal,
  'userId' | 'userType' | 'tier' | 'groupIds' | 'language' | 'defaultAgentId'
>;

/**
 * Tells who is behind a session, usually without a query. Whatever changes what a user may do calls `forget` in its
 * transaction. This instance then knows of the change at once, the others as soon as Redis tells them, and all of them
 * within five seconds.
 */
@Injectable()
export class PrincipalService {
  /** By user; the details are the sessions of the user, and null for the user alone. */
  private readonly identities: SharedCache<number, Identity, number | null>;
  private readGroups: (userId: number) => Promise<readonly number[]> = () => Promise.resolve([]);

  private readKeysEnd: (userId: number) => Promise<Date | null> = () => Promise.resolve(null);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    redis: RedisConnection,
    private readonly retention: SessionRetention,
  ) {
    this.identities = new SharedCache({
      channel: 'principals',
      load: (userId: number, sessionId: number | null) => this.load(userId, sessionId),
      mostKeys: MOST_USERS,
      database,
      redis,
    });
  }

  /** For the module that keeps groups: how those of a user are read. Call it in a constructor. */
  useGroups(read: (userId: number) => Promise<readonly number[]>): void {
    this.readGroups = read;
  }

  /** For the module that knows when people signed in last: when the API keys of a user stop. Call it in a constructor. */
  useKeysEnd(read: (userId: number) => Promise<Date | null>): void {
    this.readKeysEnd = read;
  }

  /**
   * @throws SessionRevokedError when the session has ended or the account is closed or suspended.
   * @throws AccountBannedError while the user is banned.
   */
  async resolve(userId: number, sessionId: number): Promise<Principal> {
    const user = await this.principalOf(userId, sessionId);
    if (!user) {
      throw new SessionRevokedError();
    }
    this.retention.note(sessionId);
    return { ...user, ...WITHOUT_KEY, sessionId };
  }

  /**
   * What a user may do now, without a session; null when the account is closed.
   *
   * @throws AccountBannedError while the user is banned, IdentitySuspendedError while the account is suspended.
   */
  ofUser(userId: number): Promise<UserPrincipal | null> {
    return this.principalOf(userId, null);
  }

  /** The same, for who acts without the user being there. @returns null too while the user is banned or suspended */
  async activeUser(userId: number): Promise<UserPrincipal | null> {
    try {
      return await this.ofUser(userId);
    } catch (error) {
      if (error instanceof AccountBannedError || error instanceof IdentitySuspendedError) {
        return null;
      }
      throw error;
    }
  }

  /** When the API keys of a user stop, because the user has not signed in for long; null: they do not. */
  async keysEndAt(userId: number): Promise<Date | null> {
    return (await this.identities.get(userId, null))?.keysEndAt ?? null;
  }

  /** Within `Database.write`: from the commit on, requests of the user are answered by the new state. */
  forget(userId: number): void {
    this.identities.forgetOnCommit(userId);
  }

  /** Null when the session has ended or the account is closed. @throws AccountBannedError, IdentitySuspendedError */
  private async principalOf(userId: number, sessionId: number | null): Promise<UserPrincipal | null> {
    const identity = await this.identities.get(userId, sessionId);
    // What depends on the time is worked out for each request, not when the identity was read.
    const now = this.clock.now();
    if (!identity || (identity.expiresAt !== null && identity.expiresAt <= now)) {
      return null;
    }
    const { user, groupIds } = identity;
    if (user.suspendedAt !== null) {
      // A suspension ends sessions, and keys rest.
      if (sessionId !== null) {
        return null;
      }
      throw new IdentitySuspendedError();
    }
    if (isBanned(user, now)) {
      throw new AccountBannedError();
    }
    const { userType, language, settings } = user;
    const defaultAgentId = settings.default_agent_id ?? null;
    return { userId, userType, tier: tierOf(user, now), groupIds, language, defaultAgentId };
  }

  private async load(userId: number, sessionId: number | null): Promise<Identity> {
    const [session, user, groupIds, keysEndAt] = await Promise.all([
      sessionId === null ? { expiresAt: null } : this.readSession(userId, sessionId),
      this.readUser(userId),
      this.readGroups(userId),
      sessionId === null ? this.readKeysEnd(userId) : null,
    ]);
    return session && user && { user, groupIds, expiresAt: session.expiresAt, keysEndAt };
  }

  protected readUser(userId: number): Promise<IdentityUser | null> {
    return findRow(this.database.manager, UserEntity, { id: userId }, { members: USER_MEMBERS });
  }

  protected readSession(userId: number, sessionId: number): Promise<Pick<SessionEntity, 'expiresAt'> | null> {
    return findRow(this.database.manager, SessionEntity, { id: sessionId, userId }, { members: ['id', 'expiresAt'] });
  }
}
