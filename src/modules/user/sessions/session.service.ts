import { Injectable } from '@nestjs/common';
import { EntityManager, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../common/clock';
import { ListQueryDto } from '../../../common/envelope/list-query.dto';
import type { ListPart } from '../../../common/envelope/total-count';
import type { Principal } from '../../../common/security/principal';
import { Database } from '../../../database/database';
import { SessionNotFoundError } from '../account/user.errors';
import { PrincipalService } from './principal.service';
import { SessionEntity } from './session.entity';

/** What a login leaves behind. */
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
}

/** The state of a session's refresh token after its rotation. */
export interface Rotation {
  /** Generation that the rotation ends; it fails when another one was first. */
  from: number;
  refreshHash: string;
  /** When former tokens were replaced, as the session keeps it. */
  replacedAt: number[];
  expiresAt: Date;
}

/** The logins of users. Ending one makes its access and refresh tokens worthless at once. */
@Injectable()
export class SessionService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly principals: PrincipalService,
  ) {}

  async open(manager: EntityManager, session: NewSession): Promise<SessionEntity> {
    const now = this.clock.now();
    const row = manager.create(SessionEntity, {
      ...session,
      address: session.address.slice(0, 45),
      userAgent: session.userAgent?.slice(0, 512) ?? null,
      generation: 0,
      replacedAt: [],
      createdAt: now,
      lastUsedAt: now,
    });
    await manager.insert(SessionEntity, row);
    return row;
  }

  findByFamily(family: string): Promise<SessionEntity | null> {
    return this.database.repository(SessionEntity).findOneBy({ family });
  }

  /** Takes the session to its next refresh token; false when another request was first. */
  async rotate(manager: EntityManager, session: SessionEntity, rotation: Rotation): Promise<boolean> {
    const { from, ...state } = rotation;
    const { affected } = await manager.update(
      SessionEntity,
      { id: session.id, generation: from },
      { ...state, generation: from + 1, lastUsedAt: this.clock.now() },
    );
    // What is cached of the session ends at its former end.
    this.principals.forget(session.userId);
    return affected === 1;
  }

  /** The user's live sessions, the newest first. */
  async list(userId: number, { limit, offset }: ListQueryDto): Promise<ListPart<SessionEntity>> {
    const [items, total] = await this.database.repository(SessionEntity).findAndCount({
      where: { userId, expiresAt: MoreThan(this.clock.now()) },
      order: { id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { items, total };
  }

  /** Ends one session, as the user asked. @throws SessionNotFoundError when the user has no such session. */
  async end(userId: number, sessionId: number): Promise<void> {
    if (!(await this.revoke(userId, sessionId))) {
      throw new SessionNotFoundError();
    }
  }

  /** Ends one session; false when it had ended before. */
  revoke(userId: number, sessionId: number): Promise<boolean> {
    return this.database.write(async (manager) => {
      const { affected } = await manager.delete(SessionEntity, { id: sessionId, userId });
      this.principals.forget(userId);
      return affected === 1;
    });
  }

  /** Ends all sessions of the caller but the one the request was made with; answers how many there were. */
  endOthers({ userId, sessionId }: Principal): Promise<number> {
    return this.database.write((manager) => this.endAll(manager, userId, sessionId));
  }

  /** Within `Database.write`: ends all sessions of a user, or all but one. Answers how many had not ended by themselves. */
  async endAll(manager: EntityManager, userId: number, exceptId = 0): Promise<number> {
    const sessions = { userId, id: Not(exceptId) };
    const live = await manager.countBy(SessionEntity, { ...sessions, expiresAt: MoreThan(this.clock.now()) });
    await manager.delete(SessionEntity, sessions);
    this.principals.forget(userId);
    return live;
  }
}
