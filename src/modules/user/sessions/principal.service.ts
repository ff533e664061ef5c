import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../common/clock';
import { RedisConnection } from '../../../common/redis/redis-connection';
import type { Principal } from '../../../common/security/principal';
import { AccountBannedError, SessionRevokedError } from '../../../common/security/security.errors';
import { Database } from '../../../database/database';
import { isBanned, tierOf } from '../account/standing';
import { UserEntity } from '../account/user.entity';
import { SessionEntity } from './session.entity';
import { SessionRetention } from './session.retention';

/** How long an instance that heard nothing may go by what it knows; the promise holds without Redis. */
const CACHE_MILLISECONDS = 5_000;

/** Users whose identity is kept at most, some 1 KB each. */
const MOST_USERS = 10_000;

const CHANNEL = 'principals';

type IdentityUser = Pick<
  UserEntity,
  'id' | 'userType' | 'membershipType' | 'membershipExpiresAt' | 'status' | 'bannedUntil' | 'language'
>;

/** What is known of a session; null when it has ended. */
type Identity = { user: IdentityUser; expiresAt: Date } | null;

/**
 * Who is behind a session, without a query in the usual case. Whatever changes what a user may do calls `forget` in its
 * transaction: this instance then knows at once, others as soon as Redis tells them, and within five seconds anyway.
 */
@Injectable()
export class PrincipalService {
  private readonly users = new LRUCache<number, Map<number, Promise<Identity>>>({
    max: MOST_USERS,
    ttl: CACHE_MILLISECONDS,
    // Looking at the clock costs less than the timers that would spare it.
    ttlResolution: 0,
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly redis: RedisConnection,
    private readonly upkeep: SessionRetention,
  ) {
    redis.subscribe(CHANNEL, (userId) => this.users.delete(Number(userId)));
  }

  /**
   * @throws SessionRevokedError when the session has ended or the account is closed.
   * @throws AccountBannedError while the user is banned.
   */
  async resolve(userId: number, sessionId: number): Promise<Principal> {
    const identity = await this.identity(userId, sessionId);
    // All that depends on the time is worked out now, not when it was cached.
    const now = this.clock.now();
    if (!identity || identity.expiresAt <= now) {
      throw new SessionRevokedError();
    }
    const { user } = identity;
    if (isBanned(user, now)) {
      throw new AccountBannedError();
    }
    this.upkeep.note(sessionId);
    return { userId, sessionId, userType: user.userType, tier: tierOf(user, now), language: user.language };
  }

  /** Within `Database.write`: once it is committed, the next request of the user is answered by the new state. */
  forget(userId: number): void {
    this.database.onCommit(() => {
      this.users.delete(userId);
      this.redis.publish(CHANNEL, String(userId));
    });
  }

  /**
   * Keeps the promise, so that parallel requests share one query. What was read before a `forget` goes with the map it
   * is in and never comes back.
   */
  private identity(userId: number, sessionId: number): Promise<Identity> {
    let sessions = this.users.get(userId);
    if (!sessions) {
      sessions = new Map();
      this.users.set(userId, sessions);
    }
    const known = sessions.get(sessionId);
    if (known) {
      return known;
    }
    const reading = this.read(userId, sessionId);
    const kept = sessions;
    kept.set(sessionId, reading);
    reading.catch(() => kept.delete(sessionId));
    return reading;
  }

  private async read(userId: number, sessionId: number): Promise<Identity> {
    const [session, user] = await Promise.all([
      this.database.repository(SessionEntity).findOne({
        select: { id: true, expiresAt: true },
        where: { id: sessionId, userId },
      }),
      this.database.repository(UserEntity).findOne({
        select: {
          id: true,
          userType: true,
          membershipType: true,
          membershipExpiresAt: true,
          status: true,
          bannedUntil: true,
          language: true,
        },
        where: { id: userId },
      }),
    ]);
    return session && user && { user, expiresAt: session.expiresAt };
  }
}
