/** What other modules may use of this one. */
export { PlanEntity } from './entities/plan.entity';
export { UsageAccountEntity } from './entities/usage-account.entity';
export { PlanService } from './plan.service';
export { type QuotaRemaining } from './quota.service';
export { QuotaExceededError } from './usage.errors';
export { quotaExceeded } from './usage.events';
export { UsageModule } from './usage.module';
export { UsageService } from './usage.service';
export {
  USAGE_GROUPINGS,
  type UsageGroup,
  type UsageGrouping,
  type UsageReportPage,
  type UsageReportPart,
  UsageReportService,
} from './usage-report.service';
