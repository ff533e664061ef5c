import type { DomainEvent } from '../../common/events/domain-events';
import type { AgentEntity } from './entities/agent.entity';

export type AgentEventType = 'agent.created' | 'agent.updated' | 'agent.deleted';

export interface AgentEventData {
  agent_id: number;
  name: string;
  version: number;
}

/** What happened to an agent; nothing of how it is instructed. */
export function agentEvent(
  type: AgentEventType,
  agent: Pick<AgentEntity, 'id' | 'name' | 'version'>,
): DomainEvent<AgentEventData> {
  return { type, userId: null, data: { agent_id: agent.id, name: agent.name, version: agent.version } };
}
