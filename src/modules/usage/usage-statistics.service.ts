import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tier } from '../../common/security/principal';
import { formatDay, type UtcDay, utcDay } from '../../common/utc-day';
import { Database } from '../../database/database';
import { runStatement } from '../../database/statements/run-statement';
import { UNSUMMED } from './folding/unsummed-usage';
import { QuotaDto } from './quota/quota.dto';
import { QuotaService, type QuotaState } from './quota/quota.service';
import { UsageAccountQuery } from './quota/usage-account.query';
import { TotalStatsDto, UsageStatsDto } from './usage-stats.dto';

/** Days of `daily_usage`, today included (specification §2.6). */
const DAYS = 30;

interface DayUsage {
  messages: number;
  tokens: number;
}

// The sums and what they do not have yet are read in one statement, so each message counts once.
const USAGE_BY_DAY = `
  SELECT day, SUM(messages) AS messages, SUM(tokens) AS tokens FROM (
    SELECT day, messages, tokens FROM usage_rollups WHERE user_id = ? AND day >= ?
    UNION ALL
    SELECT day, messages, tokens FROM (${UNSUMMED}) AS unsummed_usage WHERE user_id = ? AND day >= ?
  ) AS counted GROUP BY day`;

/**
 * What users see of their own usage. It reads one row of totals, one row of sums per day, agent and model, and the
 * messages of the last second. So its cost does not depend on the number of messages.
 */
@Injectable()
export class UsageStatisticsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: UsageAccountQuery,
    private readonly quotas: QuotaService,
    private readonly clock: Clock,
  ) {}

  async usage(userId: number): Promise<UsageStatsDto> {
    const today = utcDay(this.clock.now());
    const [total_stats, byDay] = await Promise.all([this.totals(userId), this.byDay(userId, today - DAYS + 1)]);
    const usageOf = (day: UtcDay): DayUsage => byDay.get(day) ?? { messages: 0, tokens: 0 };
    return {
      total_stats,
      today_stats: { today_messages: usageOf(today).messages, today_tokens: usageOf(today).tokens },
      daily_usage: Array.from({ length: DAYS }, (_, index) => {
        const day = today - DAYS + 1 + index;
        return { date: formatDay(day), ...usageOf(day) };
      }),
    };
  }

  async totals(userId: number): Promise<TotalStatsDto> {
    const { chats, messages, tokens } = (await this.accounts.totalsOf([userId]))(userId);
    return { total_messages: messages, total_tokens: tokens, total_chats: chats };
  }

  async quota(userId: number, tier: Tier): Promise<QuotaDto> {
    const state = await this.quotas.state(userId, tier);
    return {
      messages: allowanceOf(state, 'messages'),
      tokens: allowanceOf(state, 'tokens'),
      storage: { limit: state.limits.storage, used: state.storedBytes },
      resets_at: state.resetsAt.toISOString(),
    };
  }

  private async byDay(userId: number, from: UtcDay): Promise<Map<UtcDay, DayUsage>> {
    const { rows } = await runStatement(this.database.manager, USAGE_BY_DAY, [userId, from, userId, from]);
    // Drivers return sums as text.
    return new Map(
      rows.map(([day, messages, tokens]) => [Number(day), { messages: Number(messages), tokens: Number(tokens) }]),
    );
  }
}

function allowanceOf({ limits, used }: QuotaState, quota: 'messages' | 'tokens'): QuotaDto['messages'] {
  const limit = limits[quota];
  return { limit, used: used[quota], remaining: limit === null ? null : Math.max(0, limit - used[quota]) };
}
