/** What other modules may use of this one. */
export { AgentDto, toAgentDto } from './agent.dto';
export { type Agent } from './agent.entity';
export { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from './agent.errors';
export { AgentModule } from './agent.module';
export { AgentService } from './agent.service';
export { AgentStatsService } from './stats/agent-stats.service';
