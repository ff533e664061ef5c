/** The exports of this module for other modules. */
export { AgentModule } from './agent.module';
export { AgentDto } from './catalogue/agent.dto';
export { type Agent } from './catalogue/agent.entity';
export { ACCESS_LEVELS, type AccessLevel } from './catalogue/agent.entity';
export {
  AgentInactiveError,
  AgentInUseError,
  AgentNotFoundError,
  MembershipRequiredError,
} from './catalogue/agent.errors';
export { type AgentCaller, AgentService, ANY_AGENT, mayUse } from './catalogue/agent.service';
export { AgentGroups } from './catalogue/agent-groups';
export { type AgentCollection, AgentKnowledge, type CollectionKeeper } from './catalogue/agent-knowledge';
export { AgentTools, type AgentToolUse, TOOL_POLICIES, type ToolPolicy } from './catalogue/agent-tools';
export { AgentUses } from './catalogue/agent-uses';
export { AgentView } from './catalogue/agent-view';
export { AgentGroupRelease } from './editing/agent-group-release';
export { AgentToolRelease } from './editing/agent-tool-release';
export { AgentStatsService } from './stats/agent-stats.service';
export { FirstTokenQuery, type FirstTokens } from './stats/first-token.query';
