import type { DomainEvent } from '../../../common/events/domain-events';
import { type DataOf, defineEvent } from '../../../common/events/event-definition';
import { fact, integer, text } from '../../../common/events/event-fields';
import type { AgentEntity } from './agent.entity';

/** The events do not contain the agent's instructions. */
const fields = {
  agent_id: fact(integer('Id of the agent.')),
  name: fact(text('Name of the agent.')),
  version: fact(integer('Version of the agent.')),
};

const example = { agent_id: 1, name: 'General Assistant', version: 3 };

/** Agents have no owner: their events go to administrators' endpoints with scope `all`. */
const DEFINITIONS = {
  'agent.created': defineEvent('agent.created', {
    description: 'An agent was created.',
    fields,
    example: { ...example, version: 1 },
  }),
  'agent.updated': defineEvent('agent.updated', { description: 'An agent was changed.', fields, example }),
  'agent.deleted': defineEvent('agent.deleted', { description: 'An agent was deleted.', fields, example }),
};

export const AGENT_EVENTS = Object.values(DEFINITIONS);

export type AgentEventType = keyof typeof DEFINITIONS;

/** Creates an event about an agent. */
export function agentEvent(
  type: AgentEventType,
  { id, name, version }: Pick<AgentEntity, 'id' | 'name' | 'version'>,
): DomainEvent<DataOf<typeof fields>> {
  return DEFINITIONS[type](null, { agent_id: id, name, version });
}
