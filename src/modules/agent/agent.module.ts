import { NestModule } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Application } from 'express';
import { Feature } from '../../common/features/feature.decorator';
import { LlmModule } from '../../integrations/llm/llm.module';
import { agentAudit } from './catalogue/agent.audit';
import { AgentEntity } from './catalogue/agent.entity';
import { AGENT_EVENTS } from './catalogue/agent.events';
import { AgentCatalogue, AgentService } from './catalogue/agent.service';
import { serveAgentAvatars } from './catalogue/agent-avatars';
import { AgentGroups } from './catalogue/agent-groups';
import { AgentKnowledge } from './catalogue/agent-knowledge';
import { AgentProviders } from './catalogue/agent-providers';
import { AgentTools } from './catalogue/agent-tools';
import { AgentUses } from './catalogue/agent-uses';
import { AgentView } from './catalogue/agent-view';
import { AgentStore } from './editing/agent.store';
import { AgentAdminController } from './editing/agent-admin.controller';
import { AgentEditorService } from './editing/agent-editor.service';
import { AgentGroupRelease } from './editing/agent-group-release';
import { AgentHistoryService } from './editing/agent-history.service';
import { AgentToolRelease } from './editing/agent-tool-release';
import { AgentVersionEntity } from './editing/agent-version.entity';
import { ActiveAgentsController } from './listing/active-agents.controller';
import { AgentController } from './listing/agent.controller';
import { AgentDirectoryService } from './listing/agent-directory.service';
import { StarterAgentsService } from './starter-agents/starter-agents.service';
import { AgentStatEntity } from './stats/agent-stat.entity';
import { AgentStatsService } from './stats/agent-stats.service';
import { AgentStatsReportService } from './stats/agent-stats-report.service';
import { FirstTokenQuery } from './stats/first-token.query';
import { AgentTransferController } from './transfer/agent-transfer.controller';
import { AgentTransferService } from './transfer/agent-transfer.service';
import { AgentTrialService } from './trial/agent-trial.service';

/**
 * The agents that users chat with, and their administration.
 *
 * - `catalogue/`: the agents in memory and the code that all folders share; other modules use its `agent.service.ts`.
 * - `listing/`: the lists of agents for users and administrators.
 * - `editing/`: creating, changing and copying agents, and their earlier versions; start at `agent.store.ts`.
 * - `trial/`, `transfer/`, `stats/`: trial replies for administrators, export and import, and usage statistics.
 * - `starter-agents/`: the agents of a new installation.
 */
@Feature({
  folder: __dirname,
  groups: { 'Agents and models': 'The agents that users talk to, and tests of their models.' },
  scopes: ['agents:read'],
  administrativeScopes: ['agents:write'],
  events: AGENT_EVENTS,
  audits: [agentAudit],
  imports: [TypeOrmModule.forFeature([AgentEntity, AgentVersionEntity, AgentStatEntity]), LlmModule],
  // The export comes before the single agent: `/agents/export` must not be read as an agent's id.
  controllers: [ActiveAgentsController, AgentTransferController, AgentController, AgentAdminController],
  providers: [
    AgentCatalogue,
    AgentDirectoryService,
    AgentEditorService,
    AgentGroups,
    AgentGroupRelease,
    AgentToolRelease,
    AgentHistoryService,
    AgentKnowledge,
    AgentProviders,
    AgentService,
    AgentStatsReportService,
    AgentStatsService,
    AgentStore,
    AgentTools,
    AgentTransferService,
    AgentTrialService,
    AgentUses,
    AgentView,
    FirstTokenQuery,
    StarterAgentsService,
  ],
  exports: [
    AgentGroupRelease,
    AgentToolRelease,
    AgentGroups,
    AgentKnowledge,
    AgentService,
    AgentStatsService,
    AgentTools,
    AgentUses,
    AgentView,
    FirstTokenQuery,
  ],
})
export class AgentModule implements NestModule {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** Middleware runs before the routes, where the pictures must be served too. */
  configure(): void {
    const { httpAdapter } = this.adapterHost;
    // A process without HTTP has no server.
    if ((httpAdapter as HttpAdapterHost['httpAdapter'] | undefined)?.getType() === 'express') {
      serveAgentAvatars(httpAdapter.getInstance<Application>());
    }
  }
}
