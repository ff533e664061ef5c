import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { MailModule } from '../../integrations/mail/mail.module';
import { AgentModule } from '../agent/agent.api';
import { ApiKeyModule } from '../api-key/api-key.api';
import { GroupModule } from '../group/group.api';
import { PricingModule } from '../pricing/pricing.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { BudgetAdmission } from './admission/budget-admission';
import { BudgetHoldEntity } from './admission/budget-hold.entity';
import { BudgetMailer, BudgetNotices } from './admission/budget-notices';
import { BudgetSettlement } from './admission/budget-settlement';
import { BudgetConfig } from './budget.config';
import { BUDGET_EVENTS } from './budget.events';
import { BUDGET_EXCEEDED, BUDGET_THRESHOLD } from './budget.mails';
import { BudgetPersonalData } from './budget.personal-data';
import { BudgetRetention } from './budget.retention';
import { budgetAudit } from './budgets/budget.audit';
import { BudgetEntity } from './budgets/budget.entity';
import { BudgetStore } from './budgets/budget.store';
import { BudgetAdministrationService } from './budgets/budget-administration.service';
import { BudgetDirectory } from './budgets/budget-directory';
import { BudgetScopes } from './budgets/budget-scopes';
import { BudgetsController } from './budgets/budgets.controller';
import { UnpricedModels } from './budgets/unpriced-models';
import { OwnBudgetsController } from './own/own-budgets.controller';
import { OwnBudgetsService } from './own/own-budgets.service';
import { BudgetAttention } from './windows/budget-attention';
import { BudgetCorrections } from './windows/budget-corrections';
import { BudgetWindowEntity } from './windows/budget-window.entity';
import { BudgetWindows } from './windows/budget-windows';
import { LedgerCheck } from './windows/ledger-check';
import { SpentBefore } from './windows/spent-before';

/**
 * Budgets of the service, and of groups, users, API keys, agents and plans.
 *
 * - `admission/` is the entry point: it holds the possible cost before a model request, and charges the actual cost at
 *   its end.
 * - `windows/`: the days, weeks and months of budgets, with their spending and holds.
 * - `budgets/`: administration of budgets. `own/`: the users' view.
 */
@Feature({
  folder: __dirname,
  exposes: ['X-Budget-Remaining'],
  events: BUDGET_EVENTS,
  audits: [budgetAudit],
  mails: [BUDGET_THRESHOLD, BUDGET_EXCEEDED],
  configuration: [BudgetConfig],
  imports: [
    TypeOrmModule.forFeature([BudgetEntity, BudgetHoldEntity, BudgetWindowEntity]),
    AgentModule,
    ApiKeyModule,
    GroupModule,
    LlmModule,
    MailModule,
    PricingModule,
    UsageModule,
    UserModule,
  ],
  controllers: [BudgetsController, OwnBudgetsController],
  providers: [
    BudgetAdministrationService,
    BudgetAdmission,
    BudgetAttention,
    BudgetCorrections,
    BudgetDirectory,
    BudgetMailer,
    BudgetNotices,
    BudgetPersonalData,
    BudgetRetention,
    BudgetScopes,
    BudgetSettlement,
    BudgetStore,
    BudgetWindows,
    LedgerCheck,
    OwnBudgetsService,
    SpentBefore,
    UnpricedModels,
  ],
  exports: [BudgetAdmission, BudgetSettlement, OwnBudgetsService],
})
export class BudgetModule {}
