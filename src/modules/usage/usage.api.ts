/** The public API of this module. */
export {
  type Charged,
  CostLedger,
  costOfRow,
  type PricedRequest,
  type SpentFor,
  type SpentRequest,
  toPricedUsage,
  totalCost,
} from './costs/cost-ledger';
export { type CostRow, type CostRowFilter, CostRowsQuery } from './costs/cost-rows.query';
export { SideCosts } from './costs/side-costs';
export { COST_KINDS, type CostKind, groupPattern, IS_IN_GROUP } from './costs/usage-cost.entity';
export { UNSUMMED } from './folding/unsummed-usage';
export { UsageFolding } from './folding/usage-folding';
export { type KeyDay, KeyUsageQuery } from './keys/key-usage.query';
export { EmbeddingQuota } from './quota/embedding-quota';
export { type Plan } from './quota/plan.entity';
export { type PlanLimits, PlanService, UserLimits } from './quota/plan.service';
export { QuotaDto } from './quota/quota.dto';
export { type QuotaRemaining, type Spender } from './quota/quota.service';
export { QuotaExceededError, StorageQuotaExceededError } from './quota/usage.errors';
export { UsageAccountQuery } from './quota/usage-account.query';
export { type CostChange, COSTS_RECOMPUTED } from './recompute/recompute.events';
export { ActiveUsersQuery } from './reports/active-users.query';
export { type ProviderDay, ProviderDaysQuery } from './reports/provider-days.query';
export { RecentRepliesQuery, type RecentReply } from './reports/recent-replies.query';
export {
  isByKey,
  USAGE_GROUPINGS,
  USAGE_SORT_FIELDS,
  type UsageGroup,
  type UsageGrouping,
  type UsageOrder,
  type UsageReportPage,
  type UsageReportPart,
  type UsageReportRequest,
} from './reports/usage-report';
export { UsageReportQuery } from './reports/usage-report.query';
export { type Keeper, type KeptMessage, StorageService } from './storage/storage.service';
export { costText } from './sums/cost-sums';
export { addTotals, NO_TOTALS, type UsageTotals } from './sums/usage-totals';
export { UsageModule } from './usage.module';
export { type AddedMessages, UsageService } from './usage.service';
export { UsageStatisticsService } from './usage-statistics.service';
