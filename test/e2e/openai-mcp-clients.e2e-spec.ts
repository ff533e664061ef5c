import { OpenAI } from '../clients/openai';
import { Agent, hostedMcpTool, OpenAIProvider, Runner } from '../clients/openai-agents';
import { uniqueContent } from '../support/chat-client';
import { useMcpCalls } from '../support/mcp/mcp-calls';

describe('unmodified Responses API clients and MCP servers', () => {
  const { app, client, scripted, trusted, agentWith, calling, offeredFor } = useMcpCalls();

  /** A user's client, and a question that makes the agent call `look`, and request approval of `book`. */
  async function asking() {
    const { label } = await trusted();
    const [look, book] = [`${label}__look`, `${label}__book`];
    const { name: model } = await agentWith({ name: look }, { name: book });
    const key = uniqueContent();
    await calling(key, [look, {}], [book, { what: key }]);
    return { options: { apiKey: client.token, baseURL: `${app.origin}/openai/v1` }, label, model, key, look, book };
  }

  const made = (): (string | undefined)[] => scripted.calls().map(({ params }) => params?.name);

  it.each([
    [true, ['look', 'book']],
    [false, ['look']],
  ])('openai decides: approve %s', async (approve, names) => {
    const { options, label, model, key } = await asking();
    const openai = new OpenAI(options);
    const tools = [{ type: 'mcp' as const, server_label: label, require_approval: 'never' as const }];
    const stream = openai.responses.stream({ model, input: key, tools });
    const types: string[] = [];
    stream.on('event', ({ type }) => types.push(type));
    const first = await stream.finalResponse();
    expect(types).toContain('response.mcp_list_tools.completed');
    expect(first.output.map(({ type }) => type)).toEqual(['mcp_list_tools', 'mcp_call', 'mcp_approval_request']);
    const [list] = first.output;
    expect(list?.type === 'mcp_list_tools' && list.tools.map(({ name }) => name)).toEqual(['look', 'book']);
    const asked = first.output.find((item) => item.type === 'mcp_approval_request');
    expect(asked).toMatchObject({ server_label: label, name: 'book' });
    const input = [{ type: 'mcp_approval_response' as const, approval_request_id: asked?.id ?? '', approve }];
    const next = await openai.responses.create({ model, previous_response_id: first.id, input, tools });
    expect(next.output_text).toBe('Done.');
    expect(made()).toEqual(names);
  });

  it.each([
    ['itself', true, ['look', 'book']],
    ['itself', false, ['look']],
    ['here', true, ['look', 'book']],
  ])('@openai/agents decides, with a conversation that is stored %s: approve %s', async (kept, approve, names) => {
    const { options, label, model, key, look, book } = await asking();
    const provider = new OpenAIProvider({ ...options, useResponses: true });
    const runner = new Runner({ modelProvider: provider, tracingDisabled: true });
    const requireApproval = { always: { toolNames: ['book'] }, never: { toolNames: ['look'] } };
    const agent = new Agent({
      name: 'Guide',
      model,
      tools: [hostedMcpTool({ serverLabel: label, allowedTools: ['look', 'book'], requireApproval })],
    });
    const conversationId = kept === 'here' ? (await new OpenAI(options).conversations.create({})).id : undefined;
    const given = conversationId === undefined ? {} : { conversationId };
    const first = await runner.run(agent, key, given);
    expect(first.interruptions).toHaveLength(1);
    expect(made()).toEqual(['look']);
    for (const interruption of first.interruptions) {
      if (approve) first.state.approve(interruption);
      else first.state.reject(interruption);
    }
    const next = await runner.run(agent, first.state, given);
    expect(next.finalOutput).toBe('Done.');
    expect(made()).toEqual(names);
    expect((await offeredFor(key))[0]).toEqual([look, book]);
  });
});
