import type { DomainEvent } from '../../common/events/domain-events';
import type { AgentEntity } from './entities/agent.entity';

export type AgentEventType = 'agent.created' | 'agent.updated' | 'agent.deleted';

export interface AgentEventData {
  agent_id: number;
  name: string;
  version: number;
}

export interface AgentActionEventData {
  agent_id: number;
  /** Null for what is new. */
  before: AgentEntity | null;
  /** Null for what is gone. */
  after: AgentEntity | null;
}

/** Somebody did something with an agent; the audit log wants to know it of administrators. */
export function agentAction(
  action: 'create' | 'update' | 'delete',
  agentId: number,
  change: Omit<AgentActionEventData, 'agent_id'>,
): DomainEvent<AgentActionEventData> {
  return { type: `agent.${action}`, userId: null, data: { agent_id: agentId, ...change }, isInternal: true };
}

/** What happened to an agent; nothing of how it is instructed. */
export function agentEvent(
  type: AgentEventType,
  agent: Pick<AgentEntity, 'id' | 'name' | 'version'>,
): DomainEvent<AgentEventData> {
  return { type, userId: null, data: { agent_id: agent.id, name: agent.name, version: agent.version } };
}
