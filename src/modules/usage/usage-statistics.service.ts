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
import { addCosts, COST_COLUMNS, type CostSum, costText, NO_COST, toCostSum } from './sums/cost-sums';
import { TotalStatsDto, TotalStatsWithCurrencyDto, UsageStatsDto } from './usage-stats.dto';

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

/** First day, user, user. All earlier days are one row with day 0. */
const USAGE_BY_DAY = `
  SELECT shown_day, ${SUMS}
  FROM (SELECT CASE WHEN day >= ? THEN day ELSE 0 END AS shown_day, ${COUNTS.join(', ')}
    FROM (${countedOf('user_id = ?')}) AS counted) AS shown
  GROUP BY shown_day`;

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
    const [counts, { byDay, totalCost }] = await Promise.all([
      this.countsOf(userId),
      this.byDay(userId, today - DAYS + 1),
    ]);
    const usageOf = (day: UtcDay): DayUsage => byDay.get(day) ?? NO_DAY;
    const { messages, tokens, cost } = usageOf(today);
    return {
      currency: this.ledger.currency,
      total_stats: { ...counts, total_cost: totalCost },
      today_stats: { today_messages: messages, today_tokens: tokens, today_cost: cost },
      daily_usage: Array.from({ length: DAYS }, (_, index) => {
        const day = today - DAYS + 1 + index;
        return { date: formatDay(day), ...usageOf(day) };
      }),
    };
  }

  async totals(userId: number): Promise<TotalStatsWithCurrencyDto> {
    const counts = await this.countsOf(userId);
    return { ...counts, total_cost: await this.totalCost(userId), currency: this.ledger.currency };
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

  private async countsOf(userId: number): Promise<Omit<TotalStatsDto, 'total_cost'>> {
    const { chats, messages, tokens } = (await this.accounts.totalsOf([userId]))(userId);
    return { total_messages: messages, total_tokens: tokens, total_chats: chats };
  }

  /** The usage of each day since `from`, and the cost of all days. */
  private async byDay(
    userId: number,
    from: UtcDay,
  ): Promise<{ byDay: Map<UtcDay, DayUsage>; totalCost: string | null }> {
    const { rows } = await runStatement(this.database.manager, USAGE_BY_DAY, [from, userId, userId]);
    const days = rows.map(([day, ...sums]) => ({ day: toCount(day), ...toDay(sums) }));
    return {
      byDay: new Map(days.map(({ day, ...sums }) => [day, toDayUsage(sums)])),
      totalCost: costText(days.reduce((total, { cost }) => addCosts(total, cost), NO_COST)),
    };
  }

  /** Reads the sums of each day and model, which are few rows regardless of the number of messages. */
  private async totalCost(userId: number): Promise<string | null> {
    const sums = await runForRow(this.database.manager, USAGE_IN_ALL, [userId, userId]);
    return sums === undefined ? NO_DAY.cost : costText(toDay(sums).cost);
  }
}

interface DaySums {
  messages: number;
  tokens: number;
  cost: CostSum;
}

function toDay([messages, tokens, ...costs]: unknown[]): DaySums {
  const used = toCount(tokens);
  return { messages: toCount(messages), tokens: used, cost: toCostSum(costs, used) };
}

function toDayUsage({ messages, tokens, cost }: DaySums): DayUsage {
  return { messages, tokens, cost: costText(cost) };
}

/** Drivers return sums as text, and null if there are no rows. */
function toCount(sum: unknown): number {
  return Number(sum ?? 0);
}

function allowanceOf(limit: number | null, used: number): QuotaAllowanceDto {
  return { limit, used, remaining: limit === null ? null : Math.max(0, limit - used) };
}
