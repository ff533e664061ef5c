import { Injectable } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { idBatches } from '../../../database/statements/rows-by-id';
import { SessionEntity } from './session.entity';

/** Reads session data for other modules. */
@Injectable()
export class SessionQuery {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** The sessions that have not ended. Reads the database, not the cache. */
  async living(ids: readonly number[]): Promise<Set<number>> {
    const expiresAt = MoreThan(this.clock.now());
    const living = new Set<number>();
    for (const batch of idBatches([...new Set(ids)])) {
      const where = { id: In(batch), expiresAt };
      const rows = await findRows(this.database.manager, SessionEntity, where, { members: ['id'] });
      rows.forEach(({ id }) => living.add(id));
    }
    return living;
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
