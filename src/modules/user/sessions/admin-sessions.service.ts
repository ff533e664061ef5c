import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { DomainEvents } from '../../../common/events/domain-events';
import { Database } from '../../../database/database';
import { findPage, findRow, findRows } from '../../../database/statements/find';
import { UserEntity } from '../account/user.entity';
import { SessionNotFoundError } from '../account/user.errors';
import { type AdminSessionDto, type ListSessionsQueryDto } from './admin-session.dto';
import { sessionAudit } from './session.audit';
import { describeSession } from './session.dto';
import { SessionEntity } from './session.entity';
import { ofKind, SessionService } from './session.service';

/** Lists and ends the sessions of all users, for administrators. */
@Injectable()
export class AdminSessionsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly sessions: SessionService,
  ) {}

  /** Active sessions, newest first. */
  async list(query: ListSessionsQueryDto): Promise<Page<AdminSessionDto>> {
    const { kind, user_id: userId } = query;
    const where = {
      expiresAt: MoreThan(this.clock.now()),
      ...(kind !== undefined && ofKind(kind)),
      ...(userId !== undefined && { userId }),
    };
    const order = { id: 'DESC' } as const;
    const { items, total } = await findPage(this.database.manager, SessionEntity, where, { order, ...partOf(query) });
    const names = await this.namesOf(items.map((session) => session.userId));
    const shown = items.map((session) => ({
      ...describeSession(session),
      user_id: session.userId,
      username: names.get(session.userId) ?? '',
    }));
    return toPage(shown, total, query);
  }

  /** @throws SessionNotFoundError */
  async end(id: number): Promise<void> {
    const session = await findRow(this.database.manager, SessionEntity, { id });
    if (session === null || session.expiresAt <= this.clock.now()) {
      throw new SessionNotFoundError();
    }
    await this.database.write(async (manager) => {
      if (!(await this.sessions.revokeIn(manager, session.userId, id))) {
        throw new SessionNotFoundError();
      }
      if (session.scope === null) {
        const { userId } = session;
        await this.events.publish(manager, sessionAudit.change('end', { id, userId, before: session, after: null }));
      }
    });
  }

  private async namesOf(userIds: number[]): Promise<Map<number, string>> {
    const where = { id: In([...new Set(userIds)]) };
    const users = await findRows(this.database.manager, UserEntity, where, { members: ['id', 'username'] });
    return new Map(users.map(({ id, username }) => [id, username]));
  }
}
