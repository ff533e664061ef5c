import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { startOfDay, utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { addToCounters } from '../../../database/statements/upsert-counters';
import { UserDirectoryQuery } from '../../user/user.api';
import { EmbeddingDayEntity } from './embedding-day.entity';
import { UserLimits } from './plan.service';
import { QuotaExceededError } from './usage.errors';

/** The service itself, which has no quota. */
const SERVICE = 0;

/** Tokens per UTC day that a user may embed. */
@Injectable()
export class EmbeddingQuota {
  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
    private readonly limits: UserLimits,
    private readonly clock: Clock,
  ) {}

  /** @throws QuotaExceededError if the tokens of the day are used up */
  async requireLeft(userId: number): Promise<void> {
    if (userId === SERVICE) {
      return;
    }
    const { embeddingTokens: limit } = await this.limits.of(userId, await this.users.tierOf(userId));
    const used = limit === null ? 0 : await this.usedToday(userId);
    if (limit !== null && used >= limit) {
      const now = this.clock.now();
      const resetsAt = startOfDay(utcDay(now) + 1);
      const details = { quota: 'embedding_tokens' as const, limit, used, resets_at: resetsAt.toISOString() };
      throw new QuotaExceededError(details, (resetsAt.getTime() - now.getTime()) / 1_000);
    }
  }

  async usedToday(userId: number): Promise<number> {
    const row = await findRow(this.database.manager, EmbeddingDayEntity, { userId, day: utcDay(this.clock.now()) });
    return row?.tokens ?? 0;
  }

  /** Within `Database.write`. */
  async count(manager: EntityManager, userId: number, tokens: number): Promise<void> {
    if (userId !== SERVICE && tokens > 0) {
      const key = { user_id: userId, day: utcDay(this.clock.now()) };
      await addToCounters(manager, 'embedding_days', [key], { tokens });
    }
  }
}
