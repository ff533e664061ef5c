import type { DomainEvent } from '../../common/events/domain-events';
import { defineEvent } from '../../common/events/event-definition';
import { choice, fact, integer, text } from '../../common/events/event-fields';

export const TOOL_CHANGES = ['new', 'changed', 'gone'] as const;

export type ToolChange = (typeof TOOL_CHANGES)[number];

export const toolChanged = defineEvent('mcp.tool_changed', {
  description:
    'A server of tools has a new tool, has changed one, or does not list one any more. It is not offered until an administrator approves it.',
  fields: {
    server_id: fact(integer('The server.')),
    label: fact(text('Its label.')),
    tool: fact(text('The tool, as the server names it.')),
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
