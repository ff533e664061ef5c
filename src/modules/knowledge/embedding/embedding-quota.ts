import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../common/clock';
import { startOfDay, utcDay } from '../../../common/utc-day';
import { Database } from '../../../database/database';
import { findRow } from '../../../database/statements/find';
import { addToCounters } from '../../../database/statements/upsert-counters';
import { QuotaExceededError } from '../../usage/usage.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { EmbeddingConfig } from './embedding.config';
import { EmbeddingDayEntity } from './embedding.entity';

/** Tokens per UTC day that a user may embed. User 0, the service, and administrators have no limit. */
@Injectable()
export class EmbeddingQuota {
  constructor(
    private readonly database: Database,
    private readonly users: UserDirectoryQuery,
    private readonly config: EmbeddingConfig,
    private readonly clock: Clock,
  ) {}

  /** @throws QuotaExceededError if the tokens of the day are used up */
  async requireLeft(userId: number): Promise<void> {
    const tier = userId === 0 ? 'admin' : await this.users.tierOf(userId);
    if (tier === 'admin') {
      return;
    }
    const limit = tier === 'normal' ? this.config.QUOTA_FREE_EMBEDDING_TOKENS : this.config.QUOTA_PAID_EMBEDDING_TOKENS;
    const now = this.clock.now();
    const day = utcDay(now);
    const row = await findRow(this.database.manager, EmbeddingDayEntity, { userId, day });
    const used = row?.tokens ?? 0;
    if (used >= limit) {
      const resetsAt = startOfDay(day + 1);
      const details = { quota: 'embedding_tokens' as const, limit, used, resets_at: resetsAt.toISOString() };
      throw new QuotaExceededError(details, (resetsAt.getTime() - now.getTime()) / 1_000);
    }
  }

  /** Within `Database.write`. */
  async count(manager: EntityManager, userId: number, tokens: number): Promise<void> {
    if (userId !== 0 && tokens > 0) {
      const key = { user_id: userId, day: utcDay(this.clock.now()) };
      await addToCounters(manager, 'embedding_days', [key], { tokens });
    }
  }
}
