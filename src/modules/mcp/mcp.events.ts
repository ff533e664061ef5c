import type { DomainEvent } from '../../common/events/domain-events';
import { defineEvent } from '../../common/events/event-definition';
import { choice, fact, integer, text } from '../../common/events/event-fields';

export const TOOL_CHANGES = ['new', 'changed', 'gone'] as const;

export type ToolChange = (typeof TOOL_CHANGES)[number];

export const toolChanged = defineEvent('mcp.tool_changed', {
  description:
    'An MCP server has added, changed or removed a tool. New and changed tools are not offered until an ' +
    'administrator approves them.',
  fields: {
    server_id: fact(integer('Id of the server.')),
    label: fact(text('Label of the server.')),
    tool: fact(text('Name of the tool on the server.')),
    kind: fact(choice(TOOL_CHANGES, 'What happened.')),
  },
  example: { server_id: 1, label: 'github', tool: 'create_issue', kind: 'changed' },
});

/**
 * A user has connected to a server. The event is internal, and published in the transaction that stores the connection.
 */
const CONNECTED = 'mcp.connected';

export function connected(userId: number, label: string): DomainEvent {
  return { type: CONNECTED, userId, data: { label }, isInternal: true };
}
