import { newcomer } from '../accounts';
import { call } from '../http';
import { type ScriptedMcpServer, startScriptedMcpServer } from '../mcp/scripted-mcp-server';
import type { TestApp } from '../test-app';
import type { AdminScene, AdminWrites } from './admin-call';

const PATH = '/admin/mcp_servers';

/** Stops with the process. */
let scripted: Promise<ScriptedMcpServer> | undefined;

/** A server with one tool, which waits for approval. */
export async function newMcpServer(app: TestApp, token: string): Promise<Pick<AdminScene, 'mcpServerId' | 'mcpTool'>> {
  const { url } = await (scripted ??= startScriptedMcpServer().then((server) =>
    Object.assign(server, { tools: [{ name: 'look' }] }),
  ));
  const body = {
    label: newcomer()
      .username.replace(/[^a-z0-9-]/g, '-')
      .slice(0, 32),
    url,
  };
  const made = await call<{ data: { id: number } }>(`${app.url}${PATH}`, { token, body });
  const { id } = made.body.data;
  const listed = await call<{ data: { items: [{ name: string; pin: string }] } }>(`${app.url}${PATH}/${id}/tools`, {
    token,
  });
  return { mcpServerId: id, mcpTool: listed.body.data.items[0] };
}

/** Calls for MCP servers. */
export const MCP_WRITES: AdminWrites = {
  'POST /api/v1/admin/mcp_servers': () => ({
    path: PATH,
    body: {
      label: newcomer()
        .username.replace(/[^a-z0-9-]/g, '-')
        .slice(0, 32),
      url: 'https://mcp.invalid/mcp',
    },
    action: 'mcp_server.create',
    target: 'mcp_server',
  }),
  'POST /api/v1/admin/mcp_servers/import': () => ({
    path: `${PATH}/import`,
    body: {
      servers: [
        {
          label: newcomer()
            .username.replace(/[^a-z0-9-]/g, '-')
            .slice(0, 32),
          url: 'https://mcp.invalid/mcp',
        },
      ],
    },
    action: 'mcp_server.create',
    target: 'mcp_server',
  }),
  'PUT /api/v1/admin/mcp_servers/{id}': ({ mcpServerId }) => ({
    path: `${PATH}/${mcpServerId}`,
    body: { timeout: 7 },
    action: 'mcp_server.update',
    target: `mcp_server:${mcpServerId}`,
  }),
  'DELETE /api/v1/admin/mcp_servers/{id}': ({ mcpServerId }) => ({
    path: `${PATH}/${mcpServerId}`,
    action: 'mcp_server.delete',
    target: `mcp_server:${mcpServerId}`,
  }),
  'POST /api/v1/admin/mcp_servers/{id}/test': ({ mcpServerId }) => ({
    path: `${PATH}/${mcpServerId}/test`,
    action: 'mcp_server.test',
    target: `mcp_server:${mcpServerId}`,
  }),
  'POST /api/v1/admin/mcp_servers/{id}/refresh': ({ mcpServerId }) => ({
    path: `${PATH}/${mcpServerId}/refresh`,
    action: 'mcp_server.refresh',
    target: `mcp_server:${mcpServerId}`,
  }),
  'PUT /api/v1/admin/mcp_servers/{id}/tools/{name}': ({ mcpServerId, mcpTool: { name, pin } }) => ({
    path: `${PATH}/${mcpServerId}/tools/${name}`,
    body: { state: 'approved', pin },
    action: 'mcp_tool.update',
    target: 'mcp_tool',
  }),
};
