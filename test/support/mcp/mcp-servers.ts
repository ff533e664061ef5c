import type { McpServerDto } from '../../../src/modules/mcp/administration/mcp-server.dto';
import type { McpToolDto } from '../../../src/modules/mcp/administration/mcp-tool.dto';
import { newcomer } from '../accounts';
import type { AdminClient, PageBody } from '../admin-client';

export const MCP_SERVERS = '/admin/mcp_servers';

/** Actions of administrators on MCP servers. */
export function mcpServersOf(admin: AdminClient) {
  async function add(url: string, fields: object = {}): Promise<McpServerDto> {
    const label = newcomer()
      .username.replace(/[^a-z0-9-]/g, '-')
      .slice(0, 32);
    const answer = await admin.post<McpServerDto>(MCP_SERVERS, { label, url, ...fields });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
    return answer.body.data;
  }

  const toolsOf = (id: number): Promise<McpToolDto[]> => admin.items(`${MCP_SERVERS}/${id}/tools?size=100`);

  async function refresh(id: number): Promise<McpToolDto[]> {
    const { status, text, body } = await admin.post<PageBody<McpToolDto>>(`${MCP_SERVERS}/${id}/refresh?size=100`);
    expect({ status, text }).toMatchObject({ status: 200 });
    return body.data.items;
  }

  const decide = (id: number, { name, pin }: Pick<McpToolDto, 'name' | 'pin'>, state = 'approved') =>
    admin.put<McpToolDto>(`${MCP_SERVERS}/${id}/tools/${encodeURIComponent(name)}`, { state, pin });

  /**
   * A server whose tools are all approved, except for those that accept calls only as tasks, which cannot be approved.
   */
  async function approved(url: string, fields: object = {}): Promise<McpServerDto> {
    const server = await add(url, fields);
    for (const tool of await refresh(server.id)) {
      const status = tool.problems.includes('needs_task') ? 422 : 200;
      expect((await decide(server.id, tool)).status).toBe(status);
    }
    return server;
  }

  return { add, toolsOf, refresh, decide, approved };
}
