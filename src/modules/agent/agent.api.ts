/** What other modules may use of this one. */
export { AgentInactiveError, AgentNotFoundError, MembershipRequiredError } from './agent.errors';
export { type AgentActionEventData, agentEvent } from './agent.events';
export { AgentModule } from './agent.module';
export { AgentService } from './agent.service';
export { AgentStatsService } from './agent-stats.service';
export { AgentDto, toAgentDto } from './dto/agent.dto';
export { ADDED_TOKENS, AgentEntity, promptLimit } from './entities/agent.entity';
