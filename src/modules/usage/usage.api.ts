/** What other modules may use of this one. */
export { PlanEntity } from './quota/plan.entity';
export { PlanService } from './quota/plan.service';
export { type QuotaRemaining } from './quota/quota.service';
export { UsageAccountEntity } from './quota/usage-account.entity';
export {
  USAGE_GROUPINGS,
  type UsageGroup,
  type UsageGrouping,
  type UsageReportPage,
  type UsageReportPart,
  UsageReportService,
} from './reports/usage-report.service';
export { QuotaExceededError } from './usage.errors';
export { quotaExceeded } from './usage.events';
export { UsageModule } from './usage.module';
export { UsageService } from './usage.service';
