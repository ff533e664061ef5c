import { constant, integer, list, nullable, number, object, string } from './schema-words';

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

export const fileCitation = object({
  type: constant('file_citation'),
  file_id: { type: 'string', pattern: '^file-\\d+$' },
  filename: string,
  index: integer,
});

export const fileSearchCall = object({
  type: constant('file_search_call'),
  id: { type: 'string', pattern: '^fs_\\d+_\\d+$' },
  status: { enum: ['in_progress', 'searching', 'completed', 'incomplete', 'failed'] },
  queries: list(string),
  results: nullable(
    list(
      object({
        file_id: { type: 'string', pattern: '^file-\\d+$' },
        filename: string,
        score: number,
        text: string,
        attributes: nullable({ type: 'object' }),
      }),
    ),
  ),
});

export const fileSearchTool = {
  type: 'object',
  required: ['type', 'vector_store_ids'],
  properties: { type: constant('file_search'), vector_store_ids: list(string) },
};

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
