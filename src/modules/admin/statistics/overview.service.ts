import { Injectable } from '@nestjs/common';
import { UsageReportQuery } from '../../usage/usage.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { OverviewDto } from './overview.dto';
import { toUsageTotalsDto } from './usage-statistics.dto';

/** The installation at a glance. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly reports: UsageReportQuery,
    private readonly users: UserDirectoryQuery,
  ) {}

  async overview(): Promise<OverviewDto> {
    const [{ total, today, activeUsers }, users] = await Promise.all([this.reports.overview(), this.users.counts()]);
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
}
