import { type EventKinds, type FieldSchema, integer, text } from './event-kind';

const agent: Record<string, FieldSchema> = {
  agent_id: integer('The agent.'),
  name: text('Its name.'),
  version: integer('Its version.'),
};

const exampleAgent = { agent_id: 1, name: 'General Assistant', version: 3 };

/** The agents; sent to administrators' endpoints with scope `all`. */
export const AGENT_EVENT_KINDS: EventKinds = {
  'agent.created': { description: 'An agent was created.', fields: agent, example: { ...exampleAgent, version: 1 } },
  'agent.updated': { description: 'An agent was changed.', fields: agent, example: exampleAgent },
  'agent.deleted': { description: 'An agent was deleted.', fields: agent, example: exampleAgent },
};
