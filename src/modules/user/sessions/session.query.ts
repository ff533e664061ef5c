import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { SessionEntity } from './session.entity';

/** Reads session data for other modules. */
@Injectable()
export class SessionQuery {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Those of the sessions that have not ended. */
  async activeAmong(ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) {
      return new Set();
    }
    const rows = await this.database
      .repository(SessionEntity)
      .createQueryBuilder('session')
      .select('session.id', 'id')
      .where({ id: In([...new Set(ids)]), expiresAt: MoreThan(this.clock.now()) })
      .getRawMany<{ id: number }>();
    return new Set(rows.map(({ id }) => id));
  }

  /** When each user was last active on any device. Users without a session are omitted. */
  async lastUses(userIds: number[]): Promise<Map<number, Date>> {
    if (userIds.length === 0) {
      return new Map();
    }
    const rows = await this.database
      .repository(SessionEntity)
      .createQueryBuilder('session')
      .select('session.userId', 'userId')
      .addSelect('MAX(session.lastUsedAt)', 'lastUsedAt')
      .where({ userId: In(userIds) })
      .groupBy('session.userId')
      .getRawMany<{ userId: number; lastUsedAt: Date | string }>();
    return new Map(rows.map(({ userId, lastUsedAt }) => [userId, toDate(lastUsedAt)]));
  }
}

/** SQLite returns times as text, in UTC. */
function toDate(value: Date | string): Date {
  return typeof value === 'string' ? new Date(`${value.replace(' ', 'T')}Z`) : value;
}
