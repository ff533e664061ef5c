import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { Database } from '../../../database/database';
import { UsageReportService } from '../../usage/usage.api';
import { UserEntity } from '../../user/user.api';
import { OverviewDto, UserCountsDto } from './overview.dto';
import { toUsageTotalsDto } from './usage-statistics.dto';

/** The installation at a glance. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly database: Database,
    private readonly reports: UsageReportService,
    private readonly clock: Clock,
  ) {}

  async overview(): Promise<OverviewDto> {
    const [{ total, today, activeUsers }, users] = await Promise.all([this.reports.overview(), this.userCounts()]);
    return {
      total: toUsageTotalsDto(total),
      today: toUsageTotalsDto(today),
      active_users: {
        today: activeUsers.today,
        last_7_days: activeUsers.last7Days,
        last_30_days: activeUsers.last30Days,
      },
      users,
    };
  }

  private async userCounts(): Promise<UserCountsDto> {
    const row = await this.database
      .repository(UserEntity)
      .createQueryBuilder('account')
      .select('COUNT(*)', 'total')
      .addSelect(countWhere("account.user_type = 'admin'"), 'administrators')
      .addSelect(
        countWhere(
          "account.membership_type <> 'free' AND (account.membership_expires_at IS NULL OR account.membership_expires_at > :now)",
        ),
        'paid',
      )
      .addSelect(
        countWhere("account.status = 'banned' AND (account.banned_until IS NULL OR account.banned_until > :now)"),
        'banned',
      )
      .setParameters({ now: this.clock.now() })
      .getRawOne<Record<keyof UserCountsDto, number | string | null>>();
    const count = (name: keyof UserCountsDto): number => Number(row?.[name] ?? 0);
    return {
      total: count('total'),
      administrators: count('administrators'),
      paid: count('paid'),
      banned: count('banned'),
    };
  }
}

function countWhere(condition: string): string {
  return `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
}
