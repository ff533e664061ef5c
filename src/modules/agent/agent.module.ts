import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LlmModule } from '../../integrations/llm/llm.module';
import { ActiveAgentsController } from './active-agents.controller';
import { AgentController } from './agent.controller';
import { AgentService } from './agent.service';
import { AgentStore } from './agent.store';
import { AgentAdminController } from './agent-admin.controller';
import { AgentCatalogue } from './agent-catalogue';
import { AgentDirectoryService } from './agent-directory.service';
import { AgentEditorService } from './agent-editor.service';
import { AgentHistoryService } from './agent-history.service';
import { AgentProviders } from './agent-providers';
import { AgentStatsService } from './agent-stats.service';
import { AgentStatsReportService } from './agent-stats-report.service';
import { AgentTransferController } from './agent-transfer.controller';
import { AgentTransferService } from './agent-transfer.service';
import { AgentTrialService } from './agent-trial.service';
import { AgentEntity } from './entities/agent.entity';
import { AgentStatEntity } from './entities/agent-stat.entity';
import { AgentVersionEntity } from './entities/agent-version.entity';
import { StarterAgentsService } from './starter-agents/starter-agents.service';

/** The agents that users chat with, and their administration. */
@Module({
  imports: [TypeOrmModule.forFeature([AgentEntity, AgentVersionEntity, AgentStatEntity]), LlmModule],
  // The export comes before the single agent: `/agents/export` must not be read as an agent's id.
  controllers: [ActiveAgentsController, AgentTransferController, AgentController, AgentAdminController],
  providers: [
    AgentCatalogue,
    AgentDirectoryService,
    AgentEditorService,
    AgentHistoryService,
    AgentProviders,
    AgentService,
    AgentStatsReportService,
    AgentStatsService,
    AgentStore,
    AgentTransferService,
    AgentTrialService,
    StarterAgentsService,
  ],
  exports: [AgentService, AgentStatsService],
})
export class AgentModule {}
