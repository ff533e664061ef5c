import { Global } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WriteAudit } from '../../common/audit/audit.interceptor';
import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { MailModule } from '../../integrations/mail/mail.module';
import { AgentModule } from '../agent/agent.api';
import { ApiKeyModule } from '../api-key/api-key.api';
import { ChatModule } from '../chat/chat.api';
import { GenerationModule } from '../generation/generation.api';
import { GroupModule } from '../group/group.api';
import { HoldModule } from '../hold/hold.api';
import { IdentityModule } from '../identity/identity.api';
import { PricingModule } from '../pricing/pricing.api';
import { RetentionModule } from '../retention/retention.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { WebhookModule } from '../webhook/webhook.api';
import { chatAudit, emailAudit, planAudit, providerAudit, settingsAudit } from './admin.audit';
import { AttentionController } from './attention/attention.controller';
import { AuditController } from './audit/audit.controller';
import { AuditPersonalData } from './audit/audit.personal-data';
import { AuditService } from './audit/audit.service';
import { AuditLogEntity } from './audit/audit-log.entity';
import { AuditOfSubjects } from './audit/audit-of-subjects';
import { AuditOfWrites } from './audit/audit-of-writes';
import { AuditScope } from './audit/audit-scope';
import { AuditTrail } from './audit/audit-trail';
import { ExpiredEntries } from './audit/expired-entries';
import { ContentController } from './content/content.controller';
import { ContentService } from './content/content.service';
import { FeedbackController } from './content/feedback.controller';
import { FeedbackService } from './content/feedback.service';
import { ModelTrialService } from './models/model-trial.service';
import { ModelsController } from './models/models.controller';
import { ModelsService } from './models/models.service';
import { ProviderAdministrationService } from './providers/provider-administration.service';
import { ProvidersController } from './providers/providers.controller';
import { ProvidersService } from './providers/providers.service';
import { EMAIL_TEST } from './settings/admin.mails';
import { AllWebhooksController } from './settings/all-webhooks.controller';
import { EmailTestController } from './settings/email-test.controller';
import { EmailTestService } from './settings/email-test.service';
import { PlanAdministrationService } from './settings/plan-administration.service';
import { PlansController } from './settings/plans.controller';
import { SettingsController } from './settings/settings.controller';
import { SettingsAdministrationService } from './settings/settings-administration.service';
import { CostsController } from './statistics/costs.controller';
import { CostsService } from './statistics/costs.service';
import { OverviewService } from './statistics/overview.service';
import { StatisticsController } from './statistics/statistics.controller';
import { StatisticsService } from './statistics/statistics.service';
import { ToolStatisticsController } from './statistics/tool-statistics.controller';
import { UserAccessController } from './users/user-access.controller';
import { UserAccessService } from './users/user-access.service';
import { UserActivityService } from './users/user-activity.service';
import { UserAdministrationService } from './users/user-administration.service';
import { UserDirectoryService } from './users/user-directory.service';
import { UsersController } from './users/users.controller';

/**
 * Administration and its audit log. Each folder is a topic with its controllers, services and DTOs.
 *
 * - `users/`, `content/`: accounts, and the conversations and ratings of all users.
 * - `statistics/`, `attention/`: usage reports and their periods, and current problems.
 * - `settings/`, `models/`, `providers/`: plans, registration, mail and webhooks; model trials; model providers.
 * - `audit/`: the log. Start with `audit-of-writes.ts`, which shows when an entry is written.
 */
@Global()
@Feature({
  folder: __dirname,
  groups: {
    People: 'User accounts, bans and invitations, for administrators.',
    'Model providers': 'Servers where models are called, for administrators.',
    Settings: 'Settings of the installation, branding and test emails.',
    'Audit and review': 'The audit log, and conversations and feedback of all users.',
  },
  administrativeScopes: ['admin:read', 'admin:write'],
  audits: [chatAudit, emailAudit, planAudit, providerAudit, settingsAudit],
  mails: [EMAIL_TEST],
  imports: [
    HoldModule,
    RetentionModule,
    TypeOrmModule.forFeature([AuditLogEntity]),
    UserModule,
    GroupModule,
    HoldModule,
    AgentModule,
    ApiKeyModule,
    UsageModule,
    ChatModule,
    GenerationModule,
    IdentityModule,
    WebhookModule,
    MailModule,
    LlmModule,
    PricingModule,
  ],
  controllers: [
    UsersController,
    UserAccessController,
    CostsController,
    StatisticsController,
    ToolStatisticsController,
    AttentionController,
    ContentController,
    FeedbackController,
    PlansController,
    SettingsController,
    ModelsController,
    ProvidersController,
    EmailTestController,
    AllWebhooksController,
    AuditController,
  ],
  providers: [
    AuditOfSubjects,
    ExpiredEntries,
    AuditScope,
    AuditService,
    AuditPersonalData,
    AuditTrail,
    { provide: WriteAudit, useClass: AuditOfWrites },
    UserAdministrationService,
    UserAccessService,
    UserDirectoryService,
    UserActivityService,
    CostsService,
    StatisticsService,
    OverviewService,
    ContentService,
    FeedbackService,
    PlanAdministrationService,
    SettingsAdministrationService,
    EmailTestService,
    ModelsService,
    ModelTrialService,
    ProvidersService,
    ProviderAdministrationService,
  ],
  // Routes of all modules need it.
  exports: [AuditOfSubjects, WriteAudit],
})
export class AdminModule {}
