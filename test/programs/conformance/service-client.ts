import type { AgentAdminDto } from '../../../src/modules/agent/editing/agent-admin.dto';
import type { McpServerDto } from '../../../src/modules/mcp/servers/mcp-server.dto';
import type { McpToolDto } from '../../../src/modules/mcp/tools/mcp-tool.dto';
import { newcomer } from '../../support/accounts';
import { AdminClient, type PageBody } from '../../support/admin-client';
import type { ChatApp } from '../../support/chat-app';
import { ChatClient, uniqueContent } from '../../support/chat-client';
import { MCP_SERVERS } from '../../support/mcp/mcp-servers';

/** For an exchange, on a machine that is busy otherwise. */
const LONGEST_SECONDS = 600;

/** A tool as a model is told of it. */
export interface OfferedTool {
  name: string;
  parameters: Record<string, unknown>;
}

/** A call, by the server's own name of the tool. */
export type PlannedCall = [tool: string, given: unknown];

/** The calls of the model, one a round, when these tools are offered. */
export type Plan = (offered: OfferedTool[]) => PlannedCall[];

/** Arguments that a schema takes: what it requires. */
export function argumentsFor({ parameters }: OfferedTool): Record<string, unknown> {
  const { required = [], properties = {} } = parameters as {
    required?: string[];
    properties?: Record<string, { type?: string }>;
  };
  const values: Record<string, unknown> = { string: 'x', number: 1, integer: 1, object: {}, array: [], null: null };
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type ?? 'null']]));
}

/**
 * The service as a client of servers: an administrator adds them and approves their tools, and an agent whose model is scripted calls
 * them in a conversation.
 */
export class ServiceClient {
  private constructor(
    private readonly app: ChatApp,
    private readonly admin: AdminClient,
    private readonly client: ChatClient,
  ) {}

  static async of(app: ChatApp): Promise<ServiceClient> {
    const admin = await AdminClient.of(app);
    return new ServiceClient(app, admin, new ChatClient(app.url, admin.account.token));
  }

  /** All that an installation does with a server. Without a plan each tool is called once, with what it requires. */
  async use(url: string, calls?: Plan): Promise<void> {
    const server = await this.add(url);
    await this.approve(server);
    await this.call(server, calls);
  }

  private async add(url: string): Promise<McpServerDto> {
    const label = newcomer()
      .username.replace(/[^a-z0-9-]/g, '-')
      .slice(0, 32);
    const answer = await this.admin.post<McpServerDto>(MCP_SERVERS, { label, url, timeout: LONGEST_SECONDS });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.data;
  }

  /** Approves what can be. */
  private async approve({ id }: McpServerDto): Promise<void> {
    const listed = await this.admin.post<PageBody<McpToolDto>>(`${MCP_SERVERS}/${id}/refresh?size=100`);
    if (listed.status !== 200) throw new Error(listed.text);
    for (const { name, pin } of listed.body.data.items) {
      await this.admin.put(`${MCP_SERVERS}/${id}/tools/${encodeURIComponent(name)}`, { state: 'approved', pin });
    }
  }

  /** An agent with all approved tools calls them. */
  private async call({ id, label }: McpServerDto, plan?: Plan): Promise<void> {
    const tools = await this.admin.items<McpToolDto>(`${MCP_SERVERS}/${id}/tools?size=100`);
    const uses = tools
      .filter(({ state }) => state === 'approved')
      .map(({ name }) => ({ name: `${label}__${name}`, policy: 'auto' }));
    const agent = await this.admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools: uses });
    if (agent.status !== 201) throw new Error(agent.text);
    const { id: chatId } = await this.client.createChat({ agent_id: agent.body.data.id });
    const offered = await this.offered(chatId);
    const calls = plan?.(offered) ?? offered.map((tool): PlannedCall => [tool.name, argumentsFor(tool)]);
    const key = uniqueContent();
    for (const [tool, given] of calls) {
      const toolCall = { name: `${label}__${tool}`, arguments: JSON.stringify(given) };
      await this.app.model.script({ key, times: 1, steps: [{ toolCall }] });
    }
    await this.app.model.script({ key, steps: [{ text: 'Done.' }] });
    const { status, text, body } = await this.client.send(chatId, key);
    if (status !== 200 || body[1].status !== 'completed') throw new Error(text);
  }

  /** What a model is told of tools, by the server's own names. */
  private async offered(chatId: number): Promise<OfferedTool[]> {
    const key = uniqueContent();
    await this.app.model.script({ key, steps: [{ text: 'Hello.' }] });
    await this.client.send(chatId, key);
    const tools = ((await this.app.model.requests(key))[0]?.body.tools ?? []) as { function: OfferedTool }[];
    return tools.map(({ function: { name, parameters } }) => ({ name: name.replace(/^.*?__/, ''), parameters }));
  }
}
