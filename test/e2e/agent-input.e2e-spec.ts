import type { AgentDto } from '../../src/modules/agent/catalogue/agent.dto';
import type { ChatDto } from '../../src/modules/chat/chats/chat.dto';
import { createAdmin } from '../support/accounts';
import { csvFile } from '../support/csv';
import { useChatApp, useClient } from '../support/use-app';
import { agentRequests, createAgent, type Envelope } from './agent-requests';

describe('the input that an agent accepts', () => {
  const app = useChatApp();
  const client = useClient(app);

  it.each([
    ['a model of a provider that takes all', {}, ['text', 'image', 'file']],
    ['the demo, which gets the text of files', { provider: 'demo' }, ['text', 'file']],
    [
      'the demo with a model behind it',
      { provider: 'demo', fallback_models: ['default:scripted'] },
      ['text', 'image', 'file'],
    ],
  ])('is shown wherever the agent is: %s', async (_case, fields, input) => {
    const request = agentRequests(app, (await createAdmin(app)).token);
    const made = await createAgent(request, { status: 'active', ...fields });
    const { id } = made;
    expect(made.input).toEqual(input);
    const read = await client.request<Envelope<AgentDto>>(`/agents/${id}`);
    expect(read.body.data.input).toEqual(input);
    const active = await client.request<AgentDto[]>('/chat/agents/active');
    expect(active.body.find((agent) => agent.id === id)?.input).toEqual(input);
    await client.createChat({ agent_id: id });
    expect((await client.request<ChatDto[]>('/chat')).body[0]?.agent?.input).toEqual(input);
    const { rows } = await csvFile(`${app.url}/agents?format=csv`, client.token);
    expect(rows.find((row) => row.id === String(id))?.input).toBe(JSON.stringify(input));
  });

  it('is dropped when a client sends it', async () => {
    const request = agentRequests(app, (await createAdmin(app)).token);
    expect((await createAgent(request, { provider: 'demo', input: ['image'] })).input).toEqual(['text', 'file']);
  });
});
