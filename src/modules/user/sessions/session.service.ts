import { Injectable } from '@nestjs/common';
import { EntityManager, type FindOperator, type FindOptionsWhere, In, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import type { RequestContext } from '../../../common/security/request-context';
import { RecentSignInRequiredError, ScopeRequiredError } from '../../../common/security/security.errors';
import { HOUR_MILLISECONDS } from '../../../common/time';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { countRows, findPage, findRow, findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { pruneRows } from '../../../database/statements/prune-rows';
import { findLocked } from '../../../database/statements/row-lock';
import { idBatches } from '../../../database/statements/rows-by-id';
import { updateRows } from '../../../database/statements/update';
import { isBanned } from '../account/account-status';
import { UserEntity } from '../account/user.entity';
import { SessionNotFoundError } from '../account/user.errors';
import { deviceRevoked } from './device.events';
import { PrincipalService } from './principal.service';
import { sessionAudit } from './session.audit';
import { SessionEntity } from './session.entity';
import type { SealedAssertion } from './session-assertions';

/** Most sessions of a user. Beyond that, a login ends the session with the oldest last use. */
const MOST_OF_USER = 1_000;

/** Most device sessions of a user. Beyond that, an approval ends the one with the oldest last use. */
const MOST_DEVICES = 20;

const NO_DEVICE = { scope: null, clientId: null, surface: null, deviceName: null };

const NO_ORIGIN = { identityId: null, providerSession: null, endsAt: null, assertion: null, logoutHint: null };

/** The fields of a new session. */
export interface NewSession {
  userId: number;
  /** 32 hexadecimal digits. */
  family: string;
  /** SHA-256 of the first refresh token, in hexadecimal. */
  refreshHash: string;
  /** The client's IP address. */
  address: string;
  userAgent: string | null;
  expiresAt: Date;
  /** The provider's identity that the user signed in with. Null for a password or a code. */
  origin: SessionOrigin | null;
  /** The program of a device session. Absent for a browser. */
  device?: SessionDevice;
}

/** The program that a device session belongs to. It sent these names itself. */
export interface SessionDevice {
  /** Scopes, separated by spaces. */
  scope: string;
  clientId: string | null;
  surface: string | null;
  deviceName: string | null;
}

/** `device`: a command-line program that a user approved. */
export type SessionKind = 'browser' | 'device';

/** The identity that a user signed in with, and its effect on the session. */
export interface SessionOrigin {
  identityId: number;
  /** The provider's own session id. Null if it sends none. */
  providerSession: string | null;
  /** Latest end of the session. */
  endsAt: Date;
  /** Null if the provider's token is not kept. */
  assertion: SealedAssertion | null;
  /** The encrypted ID token, for the provider's logout. Null if it is not kept. */
  logoutHint: string | null;
}

/** An active session, with the fields for refreshing its tokens. */
export interface OpenSession {
  id: number;
  userId: number;
  /** Random id of the session in its refresh tokens, 32 hexadecimal digits. */
  family: string;
  /** How often the refresh token was replaced. */
  generation: number;
  /** SHA-256 of the newest refresh token, in hexadecimal. */
  refreshHash: string;
  /** When earlier refresh tokens were replaced, newest first, in Unix milliseconds. Omits old ones. */
  replacedAt: number[];
  expiresAt: Date;
  /** Latest end of the session, no matter how often its token is replaced. Null for no limit. */
  endsAt: Date | null;
  /** Scopes of a device session. Null for a browser. */
  scope: string | null;
  isOwnerBanned: boolean;
}

/** The state of a session after its refresh token was replaced. */
export interface Rotation {
  /** The generation that is replaced. */
  from: number;
  refreshHash: string;
  /** See `OpenSession`. */
  replacedAt: number[];
  expiresAt: Date;
}

/**
 * Users' sessions. Ending one invalidates its access and refresh tokens at once, because each method that changes a
 * session also notifies `PrincipalService`, which identifies the user of a request.
 */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly principals: PrincipalService,
    private readonly events: DomainEvents,
  ) {}

  /** Within `Database.write`. */
  async open(manager: EntityManager, { origin, device, ...session }: NewSession): Promise<SessionEntity> {
    const now = this.clock.now();
    const { assertion, ...origins } = origin ?? NO_ORIGIN;
    const row = await insertEntity(manager, SessionEntity, {
      ...session,
      ...origins,
      ...(device ?? NO_DEVICE),
      assertion: assertion?.sealed ?? null,
      assertionEndsAt: assertion?.endsAt ?? null,
      address: session.address.slice(0, 45),
      userAgent: session.userAgent?.slice(0, 512) ?? null,
      generation: 0,
      replacedAt: [],
      createdAt: now,
      lastUsedAt: now,
    });
    const { userId } = session;
    if (device) {
      await this.pruneDevices(manager, userId);
    }
    const isPruned = await pruneRows(manager, SessionEntity, { userId, age: 'lastUsedAt', most: MOST_OF_USER });
    // A sign-in with a provider may make expired API keys work again.
    if (isPruned || origin !== null) {
      this.principals.forget(userId);
    }
    return row;
  }

  private async pruneDevices(manager: EntityManager, userId: number): Promise<void> {
    const devices = await findRows(
      manager,
      SessionEntity,
      { ...ofKind('device'), userId },
      {
        members: ['id'],
        order: { lastUsedAt: 'DESC', id: 'DESC' },
      },
    );
    const beyond = devices.slice(MOST_DEVICES).map(({ id }) => id);
    if (beyond.length > 0) {
      await this.remove(manager, { userId, id: In(beyond) });
      this.principals.forget(userId);
    }
  }

  /** The session of this kind with this family. Null if it has ended, or if its owner's account is closed. */
  async findOpen(family: string, kind: SessionKind): Promise<OpenSession | null> {
    const now = this.clock.now();
    const session = await findRow(this.database.manager, SessionEntity, { ...ofKind(kind), family });
    if (!session || session.expiresAt <= now) {
      return null;
    }
    const owner = await findRow(this.database.manager, UserEntity, { id: session.userId });
    return owner && { ...session, isOwnerBanned: isBanned(owner, now) };
  }

  /**
   * Within `Database.write`: replaces the session's refresh token. Returns false if another request has replaced it
   * since the session was read. If requests compete, the database decides.
   */
  async rotate(manager: EntityManager, session: OpenSession, rotation: Rotation): Promise<boolean> {
    const { from, ...state } = rotation;
    const affected = await updateRows(
      manager,
      SessionEntity,
      { ...state, generation: from + 1, lastUsedAt: this.clock.now() },
      { id: session.id, generation: from },
    );
    // The cache still contains the session's previous expiry.
    this.principals.forget(session.userId);
    return affected === 1;
  }

  /** The user's active sessions, newest first. */
  list(userId: number, { limit, offset }: ListQueryDto): Promise<ListPart<SessionEntity>> {
    const where = { userId, expiresAt: MoreThan(this.clock.now()) };
    return findPage(this.database.manager, SessionEntity, where, { order: { id: 'DESC' }, limit, offset });
  }

  /** An active session of the user. Null if there is none with this id. */
  find(userId: number, sessionId: number): Promise<SessionEntity | null> {
    const where = { id: sessionId, userId, expiresAt: MoreThan(this.clock.now()) };
    return findRow(this.database.manager, SessionEntity, where);
  }

  /**
   * Checks that the caller has signed in within the last hour. Refreshing an access token is not a sign-in.
   *
   * @throws ScopeRequiredError for an API key or a device token
   * @throws RecentSignInRequiredError
   */
  async assertRecentSignIn({ userId, sessionId, scopes }: Principal): Promise<void> {
    if (sessionId === null || scopes !== null) {
      throw new ScopeRequiredError(null);
    }
    const session = await this.find(userId, sessionId);
    if (session === null || session.createdAt.getTime() <= this.clock.now().getTime() - HOUR_MILLISECONDS) {
      throw new RecentSignInRequiredError();
    }
  }

  /**
   * Within `Database.write`: whether a session of the user is active. If it is, it cannot be ended before the
   * transaction ends.
   */
  async holds(manager: EntityManager, userId: number, sessionId: number): Promise<boolean> {
    const session = await findLocked(manager, SessionEntity, { id: sessionId, userId });
    return session !== null && session.expiresAt > this.clock.now();
  }

  /** Ends one session at the user's request. @throws SessionNotFoundError when the user has no such session */
  async end(userId: number, sessionId: number): Promise<void> {
    if (!(await this.revoke(userId, sessionId))) {
      throw new SessionNotFoundError();
    }
  }

  /** Ends one session. Returns false if it had already ended. */
  revoke(userId: number, sessionId: number | null): Promise<boolean> {
    return this.database.write((manager) => this.revokeIn(manager, userId, sessionId));
  }

  /** Like `revoke`, within `Database.write`. */
  async revokeIn(manager: EntityManager, userId: number, sessionId: number | null): Promise<boolean> {
    const affected = await this.remove(manager, { id: sessionId ?? 0, userId });
    this.principals.forget(userId);
    return affected === 1;
  }

  /** Ends all sessions of the caller except the current one. Returns their number. */
  endOthers({ principal: { userId, sessionId } }: RequestContext): Promise<number> {
    return this.database.write((manager) => this.endAll(manager, userId, sessionId));
  }

  /**
   * Within `Database.write`: ends all sessions of a user, or all except one. Returns how many of them had not expired.
   */
  async endAll(manager: EntityManager, userId: number, exceptId: number | null = null): Promise<number> {
    const sessions = { userId, id: Not(exceptId ?? 0) };
    const live = await countRows(manager, SessionEntity, { ...sessions, expiresAt: MoreThan(this.clock.now()) });
    await this.remove(manager, sessions);
    this.principals.forget(userId);
    return live;
  }

  /** Within `Database.write`: ends the device sessions of a user. */
  async endDevices(manager: EntityManager, userId: number): Promise<void> {
    await this.remove(manager, { ...ofKind('device'), userId });
    this.principals.forget(userId);
  }

  /** The identities of the sessions with this provider session id, from any provider. */
  async identitiesOf(manager: EntityManager, providerSession: string): Promise<number[]> {
    const sessions = await findRows(manager, SessionEntity, { providerSession }, { members: ['identityId'] });
    return [...new Set(sessions.flatMap(({ identityId }) => identityId ?? []))];
  }

  /**
   * Within `Database.write`: ends the sessions that were started with these identities.
   *
   * @param providerSession limits this to sessions with this provider session id; null for all
   */
  async endOfIdentities(
    manager: EntityManager,
    identityIds: readonly number[],
    providerSession: string | null = null,
  ): Promise<void> {
    const users = new Set<number>();
    for (const batch of idBatches(identityIds)) {
      const where = { identityId: In(batch), ...(providerSession !== null && { providerSession }) };
      const sessions = await findRows(manager, SessionEntity, where, { members: ['id', 'userId'], lock: 'wait' });
      for (const ids of idBatches(sessions.map(({ id }) => id))) {
        await this.remove(manager, { id: In(ids) });
      }
      sessions.forEach(({ userId }) => users.add(userId));
    }
    users.forEach((userId) => this.principals.forget(userId));
  }

  /** Deletes sessions and reports the ends of device sessions. Returns their number. */
  private async remove(manager: EntityManager, where: FindOptionsWhere<SessionEntity>): Promise<number> {
    // Locked, so that two requests that end a session at the same time report it once.
    const devices = await findRows(manager, SessionEntity, { ...ofKind('device'), ...where }, { lock: 'wait' });
    const affected = await deleteRows(manager, SessionEntity, where);
    for (const session of devices) {
      const { id, userId } = session;
      await this.events.publish(manager, deviceRevoked(session));
      await this.events.publish(manager, sessionAudit.change('end', { id, userId, before: session, after: null }));
    }
    return affected;
  }
}

/** Selects the sessions of a kind. */
export function ofKind(kind: SessionKind): { scope: FindOperator<string> } {
  const isNull = IsNull() as FindOperator<string>;
  return { scope: kind === 'device' ? Not(isNull) : isNull };
}
