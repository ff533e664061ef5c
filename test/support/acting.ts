import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { newcomer } from './accounts';
import { type ChatClient, uniqueContent } from './chat-client';
import { CountingTools } from './counting-tools';
import { made, useAdmin, useClient, useOwnChatApp } from './use-app';

/** The tools of an agent. */
export interface ToolUse {
  name: string;
  policy?: string;
  approver?: string;
}

/** The results in a reply. */
export const resultsOf = ({ parts }: MessageDto): string[] =>
  (parts ?? []).flatMap((part) => (part.type === 'tool_result' ? [part.content] : []));

/** An instance with tools that count, and the helpers of tests with agents that call them. */
export function useActing(overrides: Record<string, string> = {}) {
  const app = useOwnChatApp(overrides);
  const admin = useAdmin(app);
  const client = useClient(app);
  const tools = made(beforeAll, () => Promise.resolve(CountingTools.in(app)));

  async function agentWith(uses: ToolUse[], fields: object = {}): Promise<AgentAdminDto> {
    return (await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools: uses, ...fields })).body
      .data;
  }

  async function chatWith(uses: ToolUse[], fields: object = {}): Promise<number> {
    return (await client.createChat({ agent_id: (await agentWith(uses, fields)).id })).id;
  }

  /** The model's next answer to `key` calls these tools. */
  const calling = (key: string, ...calls: [name: string, given: unknown][]) =>
    app.model.script({
      key,
      times: 1,
      steps: [
        { text: 'Let me see. ' },
        ...calls.map(([name, given]) => ({
          toolCall: { id: 'same', name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
        })),
      ],
    });

  const saying = (key: string, text: string) => app.model.script({ key, steps: [{ text }] });

  const actionsOf = async (chatId: number): Promise<ActionDto[]> =>
    (await client.request<ActionDto[]>(`/chat/${chatId}/actions`)).body;

  const decide = (chatId: number, id: number, body: object, by: ChatClient = client) =>
    by.request<[MessageDto, MessageDto]>(`/chat/${chatId}/actions/${id}`, { body });

  /** A reply that waits for the approval of `book`. */
  async function waiting(use: Partial<ToolUse> = {}, what = uniqueContent('room')) {
    const chatId = await chatWith([{ name: 'book', ...use }]);
    const key = uniqueContent();
    await calling(key, ['book', { what }]);
    await saying(key, 'Done.');
    const { body } = await client.send(chatId, key);
    const [action] = await actionsOf(chatId);
    return { chatId, key, what, reply: body[1], action: action as ActionDto };
  }

  return { app, admin, client, tools, agentWith, chatWith, calling, saying, actionsOf, decide, waiting };
}
