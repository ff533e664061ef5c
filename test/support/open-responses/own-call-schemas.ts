import { constant, nullable, object, string } from './schema-words';

/** OpenAI's schemas for calls that the service makes itself. */
const called = {
  server_label: { type: 'string', minLength: 1 },
  name: { type: 'string', minLength: 1 },
  arguments: string,
};

export const approvalRequest = object({
  type: constant('mcp_approval_request'),
  id: { type: 'string', pattern: '^mcpr_\\d+_\\d+$' },
  ...called,
});

export const approvalResponse = object({
  type: constant('mcp_approval_response'),
  id: { type: 'string', pattern: '^mcpa_\\d+_\\d+$' },
  approval_request_id: { type: 'string', pattern: '^mcpr_\\d+_\\d+$' },
  approve: { type: 'boolean' },
  reason: nullable(string),
});

export const mcpCall = object({
  type: constant('mcp_call'),
  id: { type: 'string', pattern: '^mcp_\\d+_\\d+$' },
  status: { enum: ['in_progress', 'completed', 'incomplete', 'failed'] },
  approval_request_id: nullable({ type: 'string', pattern: '^mcpr_\\d+_\\d+$' }),
  ...called,
  output: nullable(string),
  error: nullable(string),
});

export const mcpListTools = object({
  type: constant('mcp_list_tools'),
  id: { type: 'string', pattern: '^mcpl_\\d+_\\d+$' },
  server_label: { type: 'string', minLength: 1 },
  tools: {
    type: 'array',
    items: object({
      name: { type: 'string', minLength: 1 },
      description: nullable(string),
      input_schema: { type: 'object' },
      annotations: object({ read_only: { type: 'boolean' } }),
    }),
  },
  error: nullable(string),
});

export const mcpTool = object(
  {
    type: constant('mcp'),
    server_label: string,
    server_description: nullable(string),
    server_url: string,
    allowed_tools: {},
    require_approval: {},
  },
  ['server_description', 'server_url', 'allowed_tools', 'require_approval'],
);

export const mcpChoice = object({ type: constant('mcp'), server_label: string, name: string }, ['name']);
