import { Injectable } from '@nestjs/common';
import { SharedCache } from '../../../common/cache/shared-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import { type Principal, WITHOUT_KEY } from '../../../common/security/principal';
import type { Scope } from '../../../common/security/scopes';
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

/** Most cached users, about 1 KB each. */
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

/** The cached state of a session. Null if it has ended, or if its owner's account is closed. */
type Identity = {
  user: IdentityUser;
  groupIds: readonly number[];
  expiresAt: Date | null;
  /** Of a device session. Null for the session of a browser, and for the user alone. */
  scopes: readonly Scope[] | null;
  findKeyEnd: Date | null;
} | null;

/** The part of a principal that depends on the user alone. */
export type UserPrincipal = Pick<
  Principal,
  'userId' | 'userType' | 'tier' | 'groupIds' | 'language' | 'defaultAgentId'
>;

/** The user of a session, and what the session may do. */
interface Caller {
  user: UserPrincipal;
  /** Null for everything. */
  scopes: readonly Scope[] | null;
}

/**
 * Identifies the user of a session, usually without a query. Code that changes a user's rights calls `forget` in its
 * transaction. This instance then knows the change at once, other instances as soon as Redis notifies them, and all of
 * them within five seconds.
 */
@Injectable()
export class PrincipalService {
  /** By user. Each detail is a session of the user, or null for the user alone. */
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

  /** For the module that stores groups: sets how a user's groups are read. Call it in a constructor. */
  useGroups(read: (userId: number) => Promise<readonly number[]>): void {
    this.readGroups = read;
  }

  /**
   * For the module that knows the last sign-ins: sets how the expiry of a user's API keys is read. Call it in a
   * constructor.
   */
  useKeysEnd(read: (userId: number) => Promise<Date | null>): void {
    this.readKeysEnd = read;
  }

  /**
   * @throws SessionRevokedError when the session has ended or the account is closed or suspended
   * @throws AccountBannedError while the user is banned
   */
  async resolve(userId: number, sessionId: number): Promise<Principal> {
    const caller = await this.callerOf(userId, sessionId);
    if (!caller) {
      throw new SessionRevokedError();
    }
    this.retention.note(sessionId);
    return { ...caller.user, ...WITHOUT_KEY, scopes: caller.scopes, sessionId };
  }

  /**
   * A user's current rights, without a session. Null if the account is closed.
   *
   * @throws AccountBannedError while the user is banned, IdentitySuspendedError while the account is suspended
   */
  async ofUser(userId: number): Promise<UserPrincipal | null> {
    return (await this.callerOf(userId, null))?.user ?? null;
  }

  /** Like `ofUser`, for work on behalf of an absent user. @returns null also if the user is banned or suspended */
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

  /** When the user's API keys expire because the user has not signed in for long. Null if they do not expire. */
  async findKeyEnd(userId: number): Promise<Date | null> {
    return (await this.identities.get(userId, null))?.findKeyEnd ?? null;
  }

  /** Within `Database.write`: from the commit on, the user's requests use the new state. */
  forget(userId: number): void {
    this.identities.forgetOnCommit(userId);
  }

  /** Reads the user's rights from the database at the next request, because another instance may have changed them. */
  reread(userId: number): void {
    this.identities.reread(userId);
  }

  /** Null if the session has ended or the account is closed. @throws AccountBannedError, IdentitySuspendedError */
  private async callerOf(userId: number, sessionId: number | null): Promise<Caller | null> {
    const identity = await this.identities.get(userId, sessionId);
    // Values that depend on the time are calculated per request instead of being cached.
    const now = this.clock.now();
    if (!identity || (identity.expiresAt !== null && identity.expiresAt <= now)) {
      return null;
    }
    const { user, groupIds, scopes } = identity;
    if (user.suspendedAt !== null) {
      // A suspension ends sessions and pauses keys.
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
    return { user: { userId, userType, tier: tierOf(user, now), groupIds, language, defaultAgentId }, scopes };
  }

  private async load(userId: number, sessionId: number | null): Promise<Identity> {
    const [session, user, groupIds, findKeyEnd] = await Promise.all([
      sessionId === null ? { expiresAt: null, scope: null } : this.readSession(userId, sessionId),
      this.readUser(userId),
      this.readGroups(userId),
      sessionId === null ? this.readKeysEnd(userId) : null,
    ]);
    if (!session || !user) {
      return null;
    }
    const { expiresAt, scope } = session;
    return { user, groupIds, expiresAt, scopes: scope?.split(' ') ?? null, findKeyEnd };
  }

  protected readUser(userId: number): Promise<IdentityUser | null> {
    return findRow(this.database.manager, UserEntity, { id: userId }, { members: USER_MEMBERS });
  }

  protected readSession(userId: number, sessionId: number): Promise<Pick<SessionEntity, 'expiresAt' | 'scope'> | null> {
    const members = ['id', 'expiresAt', 'scope'] as const;
    return findRow(this.database.manager, SessionEntity, { id: sessionId, userId }, { members });
  }
}
