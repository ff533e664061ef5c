import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tier } from '../../common/security/principal';
import { formatDay, type UtcDay, utcDay } from '../../common/utc-day';
import { Database } from '../../database/database';
import { runForRow, runStatement } from '../../database/statements/run-statement';
import { CostLedger } from './costs/cost-ledger';
import { UNSUMMED } from './folding/unsummed-usage';
import { EmbeddingQuota } from './quota/embedding-quota';
import { type QuotaAllowanceDto, QuotaDto } from './quota/quota.dto';
import { QuotaService } from './quota/quota.service';
import { UsageAccountQuery } from './quota/usage-account.query';
import { COST_COLUMNS, costText, toCostSum } from './sums/cost-sums';
import { TotalStatsWithCurrencyDto, UsageStatsDto } from './usage-stats.dto';

/** Days of `daily_usage`, including today (specification §2.6). */
const DAYS = 30;

interface DayUsage {
  messages: number;
  tokens: number;
  cost: string | null;
}

const NO_DAY: DayUsage = { messages: 0, tokens: 0, cost: '0' };

const COUNTS = ['messages', 'tokens', ...COST_COLUMNS];
const SUMS = COUNTS.map((column) => `SUM(${column}) AS ${column}`).join(', ');

// One statement reads the sums and the rows that they do not include yet, so that each message counts once.
const countedOf = (condition: string): string => `
    SELECT day, ${COUNTS.join(', ')} FROM usage_rollups WHERE ${condition}
    UNION ALL
    SELECT day, ${COUNTS.join(', ')} FROM (${UNSUMMED}) AS unsummed_usage WHERE ${condition}`;

const USAGE_BY_DAY = `SELECT day, ${SUMS} FROM (${countedOf('user_id = ? AND day >= ?')}) AS counted GROUP BY day`;

const USAGE_IN_ALL = `SELECT ${SUMS} FROM (${countedOf('user_id = ?')}) AS counted`;

/**
 * Users' own usage statistics. It reads one row of totals, one row of sums per day, agent and model, and the messages
 * of the last second, so its cost does not depend on the number of messages.
 */
@Injectable()
export class UsageStatisticsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: UsageAccountQuery,
    private readonly quotas: QuotaService,
    private readonly embeddings: EmbeddingQuota,
    private readonly ledger: CostLedger,
    private readonly clock: Clock,
  ) {}

  async usage(userId: number): Promise<UsageStatsDto> {
    const today = utcDay(this.clock.now());
    const [total_stats, byDay] = await Promise.all([this.totals(userId), this.byDay(userId, today - DAYS + 1)]);
    const usageOf = (day: UtcDay): DayUsage => byDay.get(day) ?? NO_DAY;
    const { messages, tokens, cost } = usageOf(today);
    const { currency, ...total } = total_stats;
    return {
      currency,
      total_stats: total,
      today_stats: { today_messages: messages, today_tokens: tokens, today_cost: cost },
      daily_usage: Array.from({ length: DAYS }, (_, index) => {
        const day = today - DAYS + 1 + index;
        return { date: formatDay(day), ...usageOf(day) };
      }),
    };
  }

  async totals(userId: number): Promise<TotalStatsWithCurrencyDto> {
    const { chats, messages, tokens } = (await this.accounts.totalsOf([userId]))(userId);
    const { currency } = this.ledger;
    return {
      total_messages: messages,
      total_tokens: tokens,
      total_chats: chats,
      total_cost: await this.totalCost(userId),
      currency,
    };
  }

  async quota(userId: number, tier: Tier): Promise<QuotaDto> {
    const { limits, used, storedBytes, resetsAt } = await this.quotas.state(userId, tier);
    return {
      messages: allowanceOf(limits.messages, used.messages),
      tokens: allowanceOf(limits.tokens, used.tokens),
      storage: { limit: limits.storage, used: storedBytes },
      embedding_tokens: allowanceOf(limits.embeddingTokens, await this.embeddings.usedToday(userId)),
      resets_at: resetsAt.toISOString(),
    };
  }

  private async byDay(userId: number, from: UtcDay): Promise<Map<UtcDay, DayUsage>> {
    const { rows } = await runStatement(this.database.manager, USAGE_BY_DAY, [userId, from, userId, from]);
    return new Map(rows.map(([day, ...sums]) => [toCount(day), toDayUsage(sums)]));
  }

  /** Reads the sums of each day and model, which are few rows regardless of the number of messages. */
  private async totalCost(userId: number): Promise<string | null> {
    const sums = await runForRow(this.database.manager, USAGE_IN_ALL, [userId, userId]);
    return sums === undefined ? NO_DAY.cost : toDayUsage(sums).cost;
  }
}

function toDayUsage([messages, tokens, ...costs]: unknown[]): DayUsage {
  const used = toCount(tokens);
  return { messages: toCount(messages), tokens: used, cost: costText(toCostSum(costs, used)) };
}

/** Drivers return sums as text, and null if there are no rows. */
function toCount(sum: unknown): number {
  return Number(sum ?? 0);
}

function allowanceOf(limit: number | null, used: number): QuotaAllowanceDto {
  return { limit, used, remaining: limit === null ? null : Math.max(0, limit - used) };
}
