import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { NetworkModule } from '../../common/network/network.module';
import { AgentModule } from '../agent/agent.api';
import { BudgetModule } from '../budget/budget.api';
import { GroupModule } from '../group/group.api';
import { UsageModule } from '../usage/usage.api';
import { UserModule } from '../user/user.api';
import { guardAudit } from './administration/guard.audit';
import { GuardAdministrationService } from './administration/guard-administration.service';
import { GuardsController } from './administration/guards.controller';
import { GuardCaller } from './calling/guard-caller';
import { GuardHttp } from './calling/guard-http';
import { PatternMatcher } from './calling/pattern-matcher';
import { CheckedTexts } from './checking/checked-texts';
import { FindingEntity } from './checking/finding.entity';
import { Guards } from './checking/guards';
import { GuardConfig } from './guard.config';
import { GUARD_EVENTS } from './guard.events';
import { GuardEntity } from './guards/guard.entity';
import { GuardCipher, GuardStore } from './guards/guard.store';
import { ConversationMasks } from './masking/conversation-masks';
import { GuardMaskEntity } from './masking/guard-mask.entity';
import { GuardReports } from './reporting/guard-reports';
import { GuardTraceEntity } from './reporting/guard-trace.entity';
import { GuardTraces } from './reporting/guard-traces';

/**
 * Guards: services and built-in rules that check texts on their way to and from models.
 *
 * - `guards/` has the guards that administrators added, `administration/` their routes.
 * - `calling/` calls a guard, `checking/` applies its mode and keeps its findings.
 * - `masking/` replaces findings by masks, `reporting/` records checks.
 */
@Feature({
  folder: __dirname,
  groups: { Guards: 'Services and built-in rules that check texts.' },
  events: GUARD_EVENTS,
  audits: [guardAudit],
  configuration: [GuardConfig],
  imports: [
    TypeOrmModule.forFeature([GuardEntity, FindingEntity, GuardTraceEntity, GuardMaskEntity]),
    NetworkModule,
    AgentModule,
    GroupModule,
    UsageModule,
    UserModule,
    BudgetModule,
  ],
  controllers: [GuardsController],
  providers: [
    GuardCipher,
    GuardStore,
    GuardHttp,
    PatternMatcher,
    GuardCaller,
    GuardReports,
    Guards,
    CheckedTexts,
    GuardTraces,
    ConversationMasks,
    GuardAdministrationService,
  ],
  exports: [Guards, CheckedTexts, GuardTraces, ConversationMasks],
})
export class GuardModule {}
