import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UserModule } from '../user/user.api';
import { DayClosingService } from './day-closing.service';
import { PlanEntity } from './entities/plan.entity';
import { UsageAccountEntity } from './entities/usage-account.entity';
import { UsageClosedDayEntity } from './entities/usage-closed-day.entity';
import { UsageEntryEntity } from './entities/usage-entry.entity';
import { UsageRollupEntity } from './entities/usage-rollup.entity';
import { UsageUserMonthEntity } from './entities/usage-user-month.entity';
import { PlanService } from './plan.service';
import { QuotaService } from './quota.service';
import { QuotaAlertService } from './quota-alert.service';
import { QuotaLimitsService } from './quota-limits.service';
import { UsageController } from './usage.controller';
import { UsagePersonalData } from './usage.personal-data';
import { UsageService } from './usage.service';
import { UsageReportService } from './usage-report.service';
import { UsageStatisticsService } from './usage-statistics.service';

const ENTITIES = [
  PlanEntity,
  UsageAccountEntity,
  UsageClosedDayEntity,
  UsageEntryEntity,
  UsageRollupEntity,
  UsageUserMonthEntity,
];

/** Counts messages and tokens, and holds users to their plan's quotas. */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), UserModule],
  controllers: [UsageController],
  providers: [
    DayClosingService,
    PlanService,
    QuotaAlertService,
    QuotaLimitsService,
    QuotaService,
    UsagePersonalData,
    UsageReportService,
    UsageService,
    UsageStatisticsService,
  ],
  exports: [PlanService, UsageReportService, UsageService, UsageStatisticsService],
})
export class UsageModule {}
