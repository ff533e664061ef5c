// @databases mariadb: two instances share one database
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import type { ActionDto } from '../../src/modules/chat/messages/action.dto';
import type { MessageDto } from '../../src/modules/chat/messages/message.dto';
import { newcomer } from '../support/accounts';
import { resultsOf } from '../support/acting';
import { AdminClient } from '../support/admin-client';
import { startChatApp } from '../support/chat-app';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { mcpServersOf } from '../support/mcp/mcp-servers';
import { startScriptedMcpServer } from '../support/mcp/scripted-mcp-server';
import { startInstance } from '../support/test-app';

describe('a question from an MCP server', () => {
  it('outlives its instance, for a day', async () => {
    const scripted = await startScriptedMcpServer();
    const params = {
      message: 'Which room?',
      requestedSchema: { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] },
    };
    scripted.isModern = true;
    scripted.tools = [{ name: 'book' }];
    scripted.results = ({ params: given }) =>
      given?.inputResponses === undefined
        ? {
            resultType: 'input_required',
            inputRequests: { room: { method: 'elicitation/create', params } },
            requestState: 's',
          }
        : 'Booked.';
    const first = await startChatApp({ TAINT_RULE: 'false' });
    const admin = await AdminClient.of(first);
    const { label } = await mcpServersOf(admin).approved(scripted.url, { elicitation: 'form' });
    const name = `${label}__book`;
    const tools = [{ name, policy: 'auto' }];
    const agent = (await admin.post<AgentAdminDto>('/agents', { name: newcomer().username, tools })).body.data;
    const client = await first.newClient();
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    const key = uniqueContent();
    await first.model.script({ key, times: 1, steps: [{ toolCall: { name, arguments: '{}' } }] });
    await first.model.script({ key, steps: [{ text: 'Done.' }] });
    expect((await client.send(chatId, key)).body[1].status).toBe('requires_action');
    await first.app.close();
    const second = await startInstance(first.environment);
    try {
      const there = new ChatClient(second.url, client.token);
      const [action] = (await there.request<ActionDto[]>(`/chat/${chatId}/actions`)).body;
      expect(action).toMatchObject({ kind: 'input', message: 'Which room?' });
      const body = { decision: 'approve', arguments_hash: action?.arguments_hash, arguments: { room: 'blue' } };
      const decided = await there.request<[MessageDto, MessageDto]>(`/chat/${chatId}/actions/${action?.id}`, { body });
      expect(resultsOf(decided.body[1])).toEqual(['Booked.']);
      expect(scripted.calls()[1]?.params).toMatchObject({
        inputResponses: { room: { action: 'accept', content: { room: 'blue' } } },
        requestState: 's',
      });
    } finally {
      await second.app.close();
      await first.close();
      await scripted.close();
    }
  });
});
