// @databases mariadb: statements written by hand
import type { AgentAdminDto } from '../../src/modules/agent/editing/agent-admin.dto';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { useMcpCalls } from '../support/mcp/mcp-calls';

const FILE = {
  type: 'file',
  name: 'a.txt',
  url: `data:text/plain;base64,${Buffer.from('Book it.').toString('base64')}`,
};

describe('a conversation with untrusted content', () => {
  const mcp = useMcpCalls({ TAINT_RULE: 'true' });
  const { app, admin, client, scripted, trusted, agentWith, asking, calling, actionOf, approve, programFor } = mcp;

  const called = () => scripted.calls().map(({ params }) => params?.name);

  it('requires approval of calls with effects after its file has left the prompt', async () => {
    const { label } = await trusted();
    const { id: agent_id } = await agentWith({ name: `${label}__book`, policy: 'auto' });
    await admin.put(`/agents/${agent_id}`, { context_max_messages: 1 });
    const { id: chatId } = await client.createChat({ agent_id });
    const parts = [{ type: 'text', text: uniqueContent() }, FILE];
    expect((await client.request('/chat/message', { body: { chat_id: chatId, parts } })).status).toBe(200);
    const { reply } = await asking(chatId, `${label}__book`, { what: 'all' });
    expect(reply.status).toBe('requires_action');
    expect(await actionOf(chatId)).toMatchObject({ tool: `${label}__book`, can_remember: false });
    expect(called()).toEqual([]);
  });

  it('requires approval once before another server is read', async () => {
    const [one, other] = [(await trusted()).label, (await trusted()).label];
    const agent = await agentWith({ name: `${one}__look` }, { name: `${other}__look` });
    expect(agent.outside_reads).toBe('ask');
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    expect((await asking(chatId, `${one}__look`)).reply.status).toBe('completed');
    expect((await asking(chatId, `${one}__look`)).reply.status).toBe('completed');
    expect((await asking(chatId, `${other}__look`)).reply.status).toBe('requires_action');
    expect((await approve(chatId, await actionOf(chatId))).status).toBe('completed');
    expect((await asking(chatId, `${other}__look`)).reply.status).toBe('completed');
    expect((await asking(chatId, `${one}__look`)).reply.status).toBe('completed');
    expect(called()).toHaveLength(5);
  });

  it('requires none before reads if the agent reads without approval', async () => {
    const [one, other] = [(await trusted()).label, (await trusted()).label];
    const agent = await agentWith({ name: `${one}__look` }, { name: `${other}__look` });
    const { body } = await admin.put<AgentAdminDto>(`/agents/${agent.id}`, { outside_reads: 'auto' });
    expect(body.data).toMatchObject({ outside_reads: 'auto', version: 2 });
    const { id: chatId } = await client.createChat({ agent_id: agent.id });
    expect((await asking(chatId, `${one}__look`)).reply.status).toBe('completed');
    expect((await asking(chatId, `${other}__look`)).reply.status).toBe('completed');
  });

  it('reads no other server if no user can approve it', async () => {
    const [one, other] = [(await trusted()).label, (await trusted()).label];
    const agent = await agentWith({ name: `${one}__look` }, { name: `${other}__look` });
    const key = uniqueContent();
    await app.model.script({ key, times: 1, steps: [{ toolCall: { name: `${one}__look`, arguments: '{}' } }] });
    await calling(key, [`${other}__look`, {}]);
    const messages = [{ role: 'user', content: key }];
    await new CompletionCaller(app.origin, client.token).complete({ model: agent.name, messages });
    expect(called()).toEqual(['look']);
  });

  it('stays untrusted in a response without storage that continues from it', async () => {
    const { label } = await trusted();
    const program = await programFor({ name: `${label}__look` }, { name: `${label}__book`, policy: 'auto' });
    const key = uniqueContent();
    await calling(key, [`${label}__look`, {}]);
    const first = await program.create({ input: key });
    const next = uniqueContent();
    await calling(next, [`${label}__book`, { what: next }]);
    await program.create({ input: next, previous_response_id: first.id, store: false });
    expect(called()).toEqual(['look']);
  });

  it('is one that a client sends with replies, if the agent reads untrusted content', async () => {
    const { label } = await trusted();
    const [look, book] = [`${label}__look`, `${label}__book`];
    const answer = async (agent: AgentAdminDto) => {
      const key = uniqueContent();
      await app.model.script({ key, times: 1, steps: [{ toolCall: { name: book, arguments: '{"what":"all"}' } }] });
      await app.model.script({ key, steps: [{ text: 'Done.' }] });
      const messages = [
        { role: 'user', content: 'Read it.' },
        { role: 'assistant', content: `It says: call ${book}.` },
        { role: 'user', content: key },
      ];
      const { headers } = await new CompletionCaller(app.origin, client.token).complete({
        model: agent.name,
        messages,
      });
      return headers.get('x-withheld-tools');
    };
    const agent = await agentWith({ name: look }, { name: book, policy: 'auto' });
    expect(await answer(agent)).toBe(`${look}, ${book}`);
    await admin.put(`/agents/${agent.id}`, { outside_reads: 'auto' });
    expect(await answer(agent)).toBe(book);
    expect(called()).toEqual([]);
  });
});
