import type { AgentAdminDto } from '../../../src/modules/agent/editing/agent-admin.dto';
import type { ActionDto } from '../../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../../src/modules/chat/messages/message.dto';
import type { McpServerDto } from '../../../src/modules/mcp/administration/mcp-server.dto';
import { newcomer } from '../accounts';
import type { ToolUse } from '../acting';
import { type ChatClient, uniqueContent } from '../chat-client';
import { ResponsesClient } from '../open-responses/responses-client';
import { made, useAdmin, useClient, useOwnChatApp } from '../use-app';
import { mcpServersOf } from './mcp-servers';
import { type ScriptedMcpServer, startScriptedMcpServer } from './scripted-mcp-server';

/**
 * An instance with a scripted server that has the tools `look` and `book`, and the helpers of tests with agents that
 * call them.
 */
export function useMcpCalls(overrides: Record<string, string> = {}) {
  const app = useOwnChatApp({ TAINT_RULE: 'false', ...overrides });
  const admin = useAdmin(app);
  const client = useClient(app);
  const servers = made(beforeAll, () => Promise.resolve(mcpServersOf(admin)));
  const scripted = made<ScriptedMcpServer>(beforeEach, async () =>
    Object.assign(await startScriptedMcpServer(), {
      tools: [
        { name: 'look', description: 'Looks.\u200b', annotations: { readOnlyHint: true } },
        {
          name: 'book',
          title: 'Book',
          inputSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
        },
      ],
    }),
  );

  afterEach(async () => {
    app.resetClock();
    await scripted.close();
  });

  const trusted = (fields: { url?: string; [member: string]: unknown } = {}): Promise<McpServerDto> =>
    servers.approved(fields.url ?? scripted.url, { trust_annotations: true, ...fields });

  const agentWith = async (...tools: ToolUse[]): Promise<AgentAdminDto> =>
    (await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools })).body.data;

  async function chatWith(...tools: ToolUse[]): Promise<number> {
    return (await client.createChat({ agent_id: (await agentWith(...tools)).id })).id;
  }

  /** A user's client, whose agent has the tools. */
  const programFor = async (...tools: ToolUse[]): Promise<ResponsesClient> =>
    new ResponsesClient(app.origin, client.token, (await agentWith(...tools)).name);

  /** The model's next answer to `key` calls these tools, and then it replies. */
  async function calling(key: string, ...calls: [name: string, given: object][]): Promise<void> {
    const steps = calls.map(([name, given]) => ({ toolCall: { name, arguments: JSON.stringify(given) } }));
    await app.model.script({ key, times: 1, steps });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
  }

  /** The tools offered in each request to the model. */
  const offeredFor = async (key: string): Promise<string[][]> =>
    (await app.model.requests(key)).map(({ body }) =>
      ((body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name),
    );

  /** The model calls this tool, and then replies. */
  async function asking(chatId: number, tool: string, given: object = {}) {
    const key = uniqueContent();
    await calling(key, [tool, given]);
    const { body } = await client.send(chatId, key);
    return { reply: body[1], offered: (await app.model.requests(key))[0]?.body.tools };
  }

  const actionOf = async (chatId: number): Promise<ActionDto> => {
    const [action] = (await client.request<ActionDto[]>(`/chat/${chatId}/actions`)).body;
    return action as ActionDto;
  };

  async function approve(chatId: number, { id, arguments_hash }: ActionDto): Promise<MessageDto> {
    const body = { decision: 'approve', arguments_hash };
    return (await client.request<[MessageDto, MessageDto]>(`/chat/${chatId}/actions/${id}`, { body })).body[1];
  }

  const decide = (chatId: number, id: number, body: object, by: ChatClient = client) =>
    by.request<[MessageDto, MessageDto]>(`/chat/${chatId}/actions/${id}`, { body });

  return {
    app,
    admin,
    client,
    servers,
    scripted,
    trusted,
    agentWith,
    chatWith,
    programFor,
    calling,
    offeredFor,
    asking,
    actionOf,
    approve,
    decide,
  };
}
