import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { BlobStoreModule } from '../../integrations/blob-store/blob-store.module';
import { LlmModule } from '../../integrations/llm/llm.module';
import { AgentModule } from '../agent/agent.api';
import { HoldModule } from '../hold/hold.api';
import { PricingModule } from '../pricing/pricing.api';
import { RetentionModule } from '../retention/retention.api';
import { UserModule } from '../user/user.api';
import { CostLedger } from './costs/cost-ledger';
import { CostRowsQuery } from './costs/cost-rows.query';
import { ExpiredLedger } from './costs/expired-ledger';
import { SideCosts } from './costs/side-costs';
import { SideRequestEntity } from './costs/side-request.entity';
import { SpanCosts } from './costs/span-costs';
import { UsageCostEntity } from './costs/usage-cost.entity';
import { UsageProviderDayEntity } from './costs/usage-provider-day.entity';
import { NewChatEntity } from './folding/new-chat.entity';
import { UsageFolding } from './folding/usage-folding';
import { KeyUsageQuery } from './keys/key-usage.query';
import { UsageKeyDayEntity } from './keys/usage-key-day.entity';
import { EmbeddingDayEntity } from './quota/embedding-day.entity';
import { EmbeddingQuota } from './quota/embedding-quota';
import { PlanEntity } from './quota/plan.entity';
import { PlanService, UserLimits } from './quota/plan.service';
import { QuotaService } from './quota/quota.service';
import { QuotaAlertService } from './quota/quota-alert.service';
import { UsageConfig } from './quota/usage.config';
import { USAGE_EVENTS } from './quota/usage.events';
import { UsageAccountEntity } from './quota/usage-account.entity';
import { UsageAccountQuery } from './quota/usage-account.query';
import { CostRecomputation } from './recompute/cost-recomputation';
import { RecomputeController } from './recompute/recompute.controller';
import { recomputeAudit } from './recompute/recompute.events';
import { ActiveUsersQuery } from './reports/active-users.query';
import { DayClosingService } from './reports/day-closing.service';
import { ProviderDaysQuery } from './reports/provider-days.query';
import { RecentRepliesQuery } from './reports/recent-replies.query';
import { UsageClosedDayEntity } from './reports/usage-closed-day.entity';
import { UsageReportQuery } from './reports/usage-report.query';
import { UsageRollupEntity } from './reports/usage-rollup.entity';
import { UsageUserMonthEntity } from './reports/usage-user-month.entity';
import { StorageService } from './storage/storage.service';
import { StoredMetadataEntity } from './storage/stored-metadata.entity';
import { StoredTextEntity } from './storage/stored-text.entity';
import { UsageController } from './usage.controller';
import { UsagePersonalData } from './usage.personal-data';
import { UsageService } from './usage.service';
import { UsageEntryEntity } from './usage-entry.entity';
import { UsageStatisticsService } from './usage-statistics.service';

const ENTITIES = [
  EmbeddingDayEntity,
  NewChatEntity,
  PlanEntity,
  SideRequestEntity,
  StoredMetadataEntity,
  StoredTextEntity,
  UsageAccountEntity,
  UsageClosedDayEntity,
  UsageCostEntity,
  UsageEntryEntity,
  UsageKeyDayEntity,
  UsageProviderDayEntity,
  UsageRollupEntity,
  UsageUserMonthEntity,
];

/**
 * Counts messages and tokens, and enforces the limits of plans.
 *
 * - `usage.service.ts` is the entry point: the chat module calls it in the transaction of each message and reply.
 * - `quota/`: the plans, daily quotas, and each user's counters.
 * - `storage/`: what each user stores, and the plan's storage limit.
 * - `folding/`: adds messages and chats to the sums, in the background.
 * - `costs/`: the costs of model requests, and their sums.
 * - `recompute/`: recalculates past costs.
 * - `keys/`: usage of each API key.
 * - `reports/`: sums by day, user, agent and model, and the closing of past days.
 */
@Feature({
  folder: __dirname,
  groups: { Usage: 'Your usage and quota, and the usage of the whole installation.' },
  scopes: ['usage:read'],
  events: USAGE_EVENTS,
  audits: [recomputeAudit],
  configuration: [UsageConfig],
  imports: [
    HoldModule,
    RetentionModule,
    TypeOrmModule.forFeature(ENTITIES),
    AgentModule,
    BlobStoreModule,
    LlmModule,
    PricingModule,
    UserModule,
  ],
  controllers: [RecomputeController, UsageController],
  providers: [
    ExpiredLedger,
    ActiveUsersQuery,
    CostLedger,
    CostRowsQuery,
    CostRecomputation,
    DayClosingService,
    EmbeddingQuota,
    KeyUsageQuery,
    PlanService,
    ProviderDaysQuery,
    QuotaAlertService,
    QuotaService,
    RecentRepliesQuery,
    SideCosts,
    SpanCosts,
    StorageService,
    UsageAccountQuery,
    UsageFolding,
    UsagePersonalData,
    UsageReportQuery,
    UsageService,
    UsageStatisticsService,
    UserLimits,
  ],
  exports: [
    ActiveUsersQuery,
    CostLedger,
    CostRowsQuery,
    EmbeddingQuota,
    KeyUsageQuery,
    PlanService,
    ProviderDaysQuery,
    RecentRepliesQuery,
    SideCosts,
    StorageService,
    UsageAccountQuery,
    UsageFolding,
    UsageReportQuery,
    UsageService,
    UsageStatisticsService,
    UserLimits,
  ],
})
export class UsageModule {}
