import type { AgentAdminDto } from '../../../src/modules/agent/editing/agent-admin.dto';
import type { ActionDto } from '../../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../../src/modules/chat/messages/message.dto';
import type { McpServerDto } from '../../../src/modules/mcp/administration/mcp-server.dto';
import type { McpToolDto } from '../../../src/modules/mcp/administration/mcp-tool.dto';
import { newcomer } from '../../support/accounts';
import { AdminClient, type PageBody } from '../../support/admin-client';
import type { ChatApp } from '../../support/chat-app';
import { ChatClient, uniqueContent } from '../../support/chat-client';
import { eventually } from '../../support/eventually';
import type { Answer } from '../../support/http';
import { ConnectingBrowser } from '../../support/mcp/connecting';
import { MCP_SERVERS } from '../../support/mcp/mcp-servers';

/** For an exchange, on a busy machine. */
const LONGEST_SECONDS = 600;

/** The maximum number of connection attempts to a server whose list requires one. */
const MOST_CONNECTIONS = 3;

/** A tool as a model receives it. */
export interface OfferedTool {
  name: string;
  parameters: Record<string, unknown>;
}

/** A call, by the server's own name of the tool. */
export type PlannedCall = [tool: string, given: unknown];

/** The use of a server. */
export interface Plan {
  /** As an administrator configures it. */
  server?: object;
  /**
   * The model's calls, one a round, when these tools are offered. Absent: each tool once, with its required arguments.
   */
  calls?: (offered: OfferedTool[]) => PlannedCall[];
  /** Whether the service must abort. */
  isRefused?: boolean;
}

/** Valid arguments for a schema: the required ones. */
export function argumentsFor({ parameters }: OfferedTool): Record<string, unknown> {
  const { required = [], properties = {} } = parameters as {
    required?: string[];
    properties?: Record<string, { type?: string }>;
  };
  const values: Record<string, unknown> = { string: 'x', number: 1, integer: 1, object: {}, array: [], null: null };
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type ?? 'null']]));
}

/** The content of a form that a user sends unchanged: the defaults of its fields, and yes if there is none. */
function valuesShown({ properties = {} }: { properties?: Record<string, { default?: unknown }> }): object {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.default ?? true]));
}

/**
 * The service as an MCP client: an administrator adds servers, signs in to them and approves their tools, and an agent
 * with a scripted model calls them in a conversation.
 */
export class ServiceClient {
  private readonly browser: ConnectingBrowser;

  private constructor(
    private readonly app: ChatApp,
    private readonly admin: AdminClient,
    private readonly client: ChatClient,
  ) {
    this.browser = new ConnectingBrowser(app, admin.account.token);
  }

  static async of(app: ChatApp): Promise<ServiceClient> {
    const admin = await AdminClient.of(app);
    return new ServiceClient(app, admin, new ChatClient(app.url, admin.account.token));
  }

  /** All actions with a server in an installation. */
  async use(url: string, plan: Plan = {}): Promise<void> {
    const server = await this.add(url, plan);
    await this.approve(server);
    await this.call(server, plan);
  }

  private async add(url: string, { server }: Plan): Promise<McpServerDto> {
    const label = newcomer()
      .username.replace(/[^a-z0-9-]/g, '-')
      .slice(0, 32);
    const fields = { label, url, timeout: LONGEST_SECONDS, ...server };
    return done(await this.admin.post<McpServerDto>(MCP_SERVERS, fields)).data;
  }

  /** Approves all tools that can be approved. */
  private async approve({ id, label }: McpServerDto): Promise<void> {
    const read = () => this.admin.post<PageBody<McpToolDto>>(`${MCP_SERVERS}/${id}/refresh?size=100`);
    let listed = await read();
    for (let times = 0; listed.text.includes('CONNECTION_REQUIRED') && times < MOST_CONNECTIONS; times++) {
      await this.connect(label);
      listed = await read();
    }
    for (const { name, pin } of done(listed).data.items) {
      await this.admin.put(`${MCP_SERVERS}/${id}/tools/${encodeURIComponent(name)}`, { state: 'approved', pin });
    }
  }

  /** Follows the redirects of a browser there and back, without user interaction. */
  private async connect(label: string): Promise<void> {
    const { authorization_url: url } = done(await this.browser.start(label));
    const { headers } = await fetch(url, { redirect: 'manual' });
    const page = await this.browser.comeBack(headers.get('location') ?? '');
    if (page !== `/console?connected=${label}`) throw new Error(page);
  }

  /** An agent with all approved tools calls them. */
  private async call({ id, label }: McpServerDto, { calls: planned }: Plan): Promise<void> {
    const tools = await this.admin.items<McpToolDto>(`${MCP_SERVERS}/${id}/tools?size=100`);
    const uses = tools
      .filter(({ state }) => state === 'approved')
      .map(({ name }) => ({ name: `${label}__${name}`, policy: 'auto' }));
    const agent = await this.admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools: uses });
    const { id: chatId } = await this.client.createChat({ agent_id: done(agent).data.id });
    const offered = await this.offered(chatId);
    const calls = planned?.(offered) ?? offered.map((tool): PlannedCall => [tool.name, argumentsFor(tool)]);
    const key = uniqueContent();
    for (const [tool, given] of calls) {
      const toolCall = { name: `${label}__${tool}`, arguments: JSON.stringify(given) };
      await this.app.model.script({ key, times: 1, steps: [{ toolCall }] });
    }
    await this.app.model.script({ key, steps: [{ text: 'Done.' }] });
    const reader = await this.client.stream(chatId, key);
    const reply = await eventually(() => this.endOf(chatId), LONGEST_SECONDS);
    await reader.rest();
    if (reply.status !== 'completed') throw new Error(JSON.stringify(reply));
  }

  /** The reply of a conversation when it has finished; before that the user answers all questions. */
  private async endOf(chatId: number): Promise<MessageDto | null> {
    const actions = (await this.client.request<ActionDto[]>(`/chat/${chatId}/actions`)).body;
    const open = actions.find(({ state }) => state === 'open');
    if (open !== undefined) {
      await this.answer(open);
      return null;
    }
    const last = (await this.client.read(chatId)).messages.at(-1);
    const goesOn = last === undefined || last.role === 'user' || ['streaming', 'requires_action'].includes(last.status);
    return goesOn ? null : last;
  }

  private async answer({ id, chat_id, kind, server, schema, arguments_hash }: ActionDto): Promise<void> {
    if (kind === 'connect') {
      await this.connect(server ?? '');
      return;
    }
    const body = {
      decision: 'approve',
      arguments_hash,
      ...(kind === 'input' && { arguments: valuesShown(schema ?? {}) }),
    };
    done(await this.client.request(`/chat/${chat_id}/actions/${id}`, { body }));
  }

  /** The tools in the model's request, by the server's own names. */
  private async offered(chatId: number): Promise<OfferedTool[]> {
    const key = uniqueContent();
    await this.app.model.script({ key, steps: [{ text: 'Hello.' }] });
    await this.client.send(chatId, key);
    const tools = ((await this.app.model.requests(key))[0]?.body.tools ?? []) as { function: OfferedTool }[];
    return tools.map(({ function: { name, parameters } }) => ({ name: name.replace(/^.*?__/, ''), parameters }));
  }
}

/** The answer. @throws if it is a failure */
function done<Body>({ status, text, body }: Answer<Body>): Body {
  if (status >= 300) throw new Error(text);
  return body;
}
