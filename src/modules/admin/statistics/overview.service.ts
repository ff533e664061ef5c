import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { formatDay, startOfDay, utcDay } from '../../../common/utc-day';
import { FirstTokenQuery, type FirstTokens } from '../../agent/agent.api';
import { ActiveUsersQuery, CostLedger, costText, NO_TOTALS, UsageReportQuery } from '../../usage/usage.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { FirstTokenClassDto, OverviewDayDto, OverviewDto } from './overview.dto';
import { toUsageTotalsDto } from './usage-statistics.dto';

/** Days of the chart, including today. */
const DAYS = 30;

/** Key figures of the installation, with a chart of thirty days. Older data does not increase its cost. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly reports: UsageReportQuery,
    private readonly users: UserDirectoryQuery,
    private readonly activeUsers: ActiveUsersQuery,
    private readonly firstTokens: FirstTokenQuery,
    private readonly clock: Clock,
    private readonly ledger: CostLedger,
  ) {}

  async overview(): Promise<OverviewDto> {
    const today = utcDay(this.clock.now());
    const [{ total, today: usedToday, thisMonth, activeUsers }, users, firstTokens] = await Promise.all([
      this.reports.overview(),
      this.users.counts(),
      this.firstTokens.read(today - DAYS + 1, today),
    ]);
    return {
      currency: this.ledger.currency,
      total: toUsageTotalsDto(total),
      today: toUsageTotalsDto(usedToday),
      this_month: toUsageTotalsDto(thisMonth),
      active_users: {
        today: activeUsers.today,
        last_7_days: activeUsers.last7Days,
        last_30_days: activeUsers.last30Days,
      },
      users,
      days: await this.days(today, firstTokens.days),
      first_token_histogram: firstTokens.distribution.map(({ upTo, count }): FirstTokenClassDto => ({
        up_to_ms: upTo,
        replies: count,
      })),
    };
  }

  /** In ascending order without gaps, so that a chart can use them directly. */
  private async days(today: number, firstTokens: FirstTokens['days']): Promise<OverviewDayDto[]> {
    const days = Array.from({ length: DAYS }, (_element, index) => today - DAYS + 1 + index);
    const first = today - DAYS + 1;
    const [{ groups }, newUsers, activeUsers] = await Promise.all([
      this.reports.page({ from: formatDay(first), to: formatDay(today), groupBy: 'day' }, { offset: 0, limit: DAYS }),
      this.users.newByDay(startOfDay(first)),
      this.activeUsers.ofDays(days),
    ]);
    const byDate = new Map(groups.map((group) => [group.key, group]));
    return days.map((day) => {
      const date = formatDay(day);
      const { messages, userMessages, usage, failedReplies, cost } = byDate.get(date) ?? NO_TOTALS;
      return {
        date,
        new_users: newUsers.get(date) ?? 0,
        active_users: activeUsers.get(day) ?? 0,
        messages,
        tokens: usage.total,
        replies: messages - userMessages,
        failed_replies: failedReplies,
        cost: costText(cost),
        unpriced: cost.unpriced,
        first_token_p50_ms: firstTokens.get(day)?.p50 ?? null,
        first_token_p95_ms: firstTokens.get(day)?.p95 ?? null,
      };
    });
  }
}
