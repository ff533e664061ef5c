import { Injectable } from '@nestjs/common';
import { EntityManager, In, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import type { RequestContext } from '../../../common/security/request-context';
import { Database } from '../../../database/database';
import { deleteRows } from '../../../database/statements/delete';
import { countRows, findPage, findRow, findRows } from '../../../database/statements/find';
import { insertEntity } from '../../../database/statements/insert';
import { keysetBatches } from '../../../database/statements/keyset-batches';
import { pruneRows } from '../../../database/statements/prune-rows';
import { findLocked } from '../../../database/statements/row-lock';
import { idBatches } from '../../../database/statements/rows-by-id';
import { updateRows } from '../../../database/statements/update';
import { isBanned } from '../account/account-status';
import { UserEntity } from '../account/user.entity';
import { SessionNotFoundError } from '../account/user.errors';
import { PrincipalService } from './principal.service';
import { SessionEntity } from './session.entity';

/** What a provider signed of somebody who signed in. Who has it kept encrypts it. */
export interface SealedAssertion {
  sealed: string;
  /** From then on it proves nothing. */
  endsAt: Date;
}

/** The same beside its session. */
export interface SessionAssertion extends SealedAssertion {
  sessionId: number;
  /** When the session was begun. */
  since: Date;
}

const NOTHING = { assertion: null, assertionEndsAt: null };

/** What providers signed of people who signed in. It lies in their sessions, and ends with them at the latest. */
@Injectable()
export class SessionAssertions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Those of a user that prove something yet; the one that does so for longest first. */
  async ofUser(userId: number): Promise<SessionAssertion[]> {
    const now = this.clock.now();
    const living = { userId, expiresAt: MoreThan(now), assertionEndsAt: MoreThan(now) };
    const rows = await findRows(this.database.manager, SessionEntity, living, {
      members: ['id', 'createdAt', 'assertion', 'assertionEndsAt'],
      order: { assertionEndsAt: 'DESC', id: 'DESC' },
    });
    return rows.flatMap(({ id, createdAt, assertion, assertionEndsAt }) =>
      assertion === null || assertionEndsAt === null
        ? []
        : [{ sessionId: id, since: createdAt, sealed: assertion, endsAt: assertionEndsAt }],
    );
  }

  /** Within `Database.write`: keeps one in a session, in the place of a former one. */
  async keep(manager: EntityManager, sessionId: number, { sealed, endsAt }: SealedAssertion): Promise<void> {
    const columns = { assertion: sealed, assertionEndsAt: endsAt };
    await updateRows(manager, SessionEntity, columns, { id: sessionId });
  }

  /** Erases one that proves nothing any more. */
  async forget({ sessionId, sealed }: SessionAssertion): Promise<void> {
    const which = { id: sessionId, assertion: sealed };
    await this.database.write((manager) => updateRows(manager, SessionEntity, NOTHING, which));
  }

  /** Within `Database.write`: erases all of a user. */
  async forgetAll(manager: EntityManager, userId: number): Promise<void> {
    await updateRows(manager, SessionEntity, NOTHING, { userId, assertionEndsAt: Not(IsNull()) });
  }

  /** Encrypts all again, and the hints for logouts. @param renewed null: it stays as it is */
  async renew(renewed: (sealed: string) => string | null): Promise<void> {
    await this.renewMember('assertion', renewed);
    await this.renewMember('logoutHint', renewed);
  }

  private async renewMember(
    member: 'assertion' | 'logoutHint',
    renewed: (sealed: string) => string | null,
  ): Promise<void> {
    for await (const rows of keysetBatches(this.database.manager, SessionEntity, { [member]: Not(IsNull()) })) {
      await this.database.write(async (manager) => {
        for (const { id, [member]: sealed } of rows) {
          const next = sealed === null ? null : renewed(sealed);
          if (sealed !== null && next !== null) {
            await updateRows(manager, SessionEntity, { [member]: next }, { id, [member]: sealed });
          }
        }
      });
    }
  }
}

/** Sessions of a user that live at most: beyond it, a login ends the one that was not used for longest. */
const MOST_OF_USER = 1_000;

const NO_ORIGIN = { identityId: null, providerSession: null, endsAt: null, assertion: null, logoutHint: null };

/** What a login creates. */
export interface NewSession {
  userId: number;
  /** 32 hexadecimal digits. */
  family: string;
  /** SHA-256 of the first refresh token, in hexadecimal. */
  refreshHash: string;
  /** Client address. */
  address: string;
  userAgent: string | null;
  expiresAt: Date;
  /** By which identity of a provider; null: by a password or a code of ours. */
  origin: SessionOrigin | null;
}

/** The identity by which somebody signed in, and what that means for the session. */
export interface SessionOrigin {
  identityId: number;
  /** What the provider calls its own session; null: it does not tell. */
  providerSession: string | null;
  /** The session does not live longer. */
  endsAt: Date;
  /** Null: what the provider signed is not kept. */
  assertion: SealedAssertion | null;
  /** Encrypted: the ID token, for the provider's logout; null: it is not kept. */
  logoutHint: string | null;
}

/** A session that has not ended, with what refreshing its tokens needs to know. */
export interface OpenSession {
  id: number;
  userId: number;
  /** Random name of the session inside its refresh tokens, 32 hexadecimal digits. */
  family: string;
  /** How often the refresh token was replaced. */
  generation: number;
  /** SHA-256 of the newest refresh token, in hexadecimal. */
  refreshHash: string;
  /** When former refresh tokens were replaced, the newest first, in Unix milliseconds; without those of long ago. */
  replacedAt: number[];
  expiresAt: Date;
  /** The session does not live longer, however often its token is replaced; null: any time. */
  endsAt: Date | null;
  isOwnerBanned: boolean;
}

/** The state of a session after its refresh token was replaced. */
export interface Rotation {
  /** The generation that ends. */
  from: number;
  refreshHash: string;
  /** As `OpenSession` has it. */
  replacedAt: number[];
  expiresAt: Date;
}

/**
 * The logins of users, called sessions. Ending one makes its access and refresh tokens worthless at once: each method
 * that changes a session also tells `PrincipalService`, which answers who is behind a request.
 */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly principals: PrincipalService,
  ) {}

  /** Within `Database.write`. */
  async open(manager: EntityManager, { origin, ...session }: NewSession): Promise<SessionEntity> {
    const now = this.clock.now();
    const { assertion, ...origins } = origin ?? NO_ORIGIN;
    const row = await insertEntity(manager, SessionEntity, {
      ...session,
      ...origins,
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
    const isPruned = await pruneRows(manager, SessionEntity, { userId, age: 'lastUsedAt', most: MOST_OF_USER });
    // A sign-in with a provider may let API keys work again.
    if (isPruned || origin !== null) {
      this.principals.forget(userId);
    }
    return row;
  }

  /** The session with this name; null when it has ended, or its owner's account is closed. */
  async findOpen(family: string): Promise<OpenSession | null> {
    const now = this.clock.now();
    const session = await findRow(this.database.manager, SessionEntity, { family });
    if (!session || session.expiresAt <= now) {
      return null;
    }
    const owner = await findRow(this.database.manager, UserEntity, { id: session.userId });
    return owner && { ...session, isOwnerBanned: isBanned(owner, now) };
  }

  /**
   * Within `Database.write`: replaces the session's refresh token. False when another request has replaced it since the
   * session was read; the database decides between requests at the same moment.
   */
  async rotate(manager: EntityManager, session: OpenSession, rotation: Rotation): Promise<boolean> {
    const { from, ...state } = rotation;
    const affected = await updateRows(
      manager,
      SessionEntity,
      { ...state, generation: from + 1, lastUsedAt: this.clock.now() },
      { id: session.id, generation: from },
    );
    // The cache still holds the session's former end.
    this.principals.forget(session.userId);
    return affected === 1;
  }

  /** The user's live sessions, the newest first. */
  list(userId: number, { limit, offset }: ListQueryDto): Promise<ListPart<SessionEntity>> {
    const where = { userId, expiresAt: MoreThan(this.clock.now()) };
    return findPage(this.database.manager, SessionEntity, where, { order: { id: 'DESC' }, limit, offset });
  }

  /** A session of the user that has not ended; null when there is none with this id. */
  find(userId: number, sessionId: number): Promise<SessionEntity | null> {
    const where = { id: sessionId, userId, expiresAt: MoreThan(this.clock.now()) };
    return findRow(this.database.manager, SessionEntity, where);
  }

  /** Within `Database.write`: whether a session of the user has not ended. If so, nobody ends it before the transaction does. */
  async holds(manager: EntityManager, userId: number, sessionId: number): Promise<boolean> {
    const session = await findLocked(manager, SessionEntity, { id: sessionId, userId });
    return session !== null && session.expiresAt > this.clock.now();
  }

  /** Ends one session, as the user asked. @throws SessionNotFoundError when the user has no such session. */
  async end(userId: number, sessionId: number): Promise<void> {
    if (!(await this.revoke(userId, sessionId))) {
      throw new SessionNotFoundError();
    }
  }

  /** Ends one session; false when it had ended before. */
  revoke(userId: number, sessionId: number | null): Promise<boolean> {
    return this.database.write(async (manager) => {
      const affected = await deleteRows(manager, SessionEntity, { id: sessionId ?? 0, userId });
      this.principals.forget(userId);
      return affected === 1;
    });
  }

  /** Ends all sessions of the caller but the present one. Answers how many there were. */
  endOthers({ principal: { userId, sessionId } }: RequestContext): Promise<number> {
    return this.database.write((manager) => this.endAll(manager, userId, sessionId));
  }

  /** Within `Database.write`: ends all sessions of a user, or all but one. Answers how many of them had not expired. */
  async endAll(manager: EntityManager, userId: number, exceptId: number | null = null): Promise<number> {
    const sessions = { userId, id: Not(exceptId ?? 0) };
    const live = await countRows(manager, SessionEntity, { ...sessions, expiresAt: MoreThan(this.clock.now()) });
    await deleteRows(manager, SessionEntity, sessions);
    this.principals.forget(userId);
    return live;
  }

  /** Identities by which sessions were begun that any provider calls so. */
  async identitiesOf(manager: EntityManager, providerSession: string): Promise<number[]> {
    const sessions = await findRows(manager, SessionEntity, { providerSession }, { members: ['identityId'] });
    return [...new Set(sessions.flatMap(({ identityId }) => identityId ?? []))];
  }

  /**
   * Within `Database.write`: ends the sessions that were begun with these identities.
   *
   * @param providerSession only those that the provider calls so; null: all of them
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
        await deleteRows(manager, SessionEntity, { id: In(ids) });
      }
      sessions.forEach(({ userId }) => users.add(userId));
    }
    users.forEach((userId) => this.principals.forget(userId));
  }
}
