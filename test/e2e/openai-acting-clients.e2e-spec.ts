import { OpenAI } from '../clients/openai';
import { Agent, hostedMcpTool, OpenAIProvider, Runner } from '../clients/openai-agents';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';

describe('unmodified Responses API clients and agents that call tools', () => {
  const { app, client, tools, agentWith, calling, saying } = useActing();

  /** A user's client, and a question that makes the agent request approval of `book`. */
  async function asking() {
    const { name: model } = await agentWith([{ name: 'book' }]);
    const [key, what] = [uniqueContent(), uniqueContent('room')];
    await calling(key, ['book', { what }]);
    await saying(key, 'Done.');
    return { options: { apiKey: client.token, baseURL: `${app.origin}/openai/v1` }, model, key, what };
  }

  const timesBooked = (what: string): number => tools.booked.filter((booked) => booked === what).length;

  it.each([
    [true, 1],
    [false, 0],
  ])('openai decides: approve %s', async (approve, times) => {
    const { options, model, key, what } = await asking();
    const openai = new OpenAI(options);
    const first = await openai.responses.create({ model, input: key });
    const asked = first.output.find((item) => item.type === 'mcp_approval_request');
    const input = [{ type: 'mcp_approval_response' as const, approval_request_id: asked?.id ?? '', approve }];
    const stream = openai.responses.stream({ model, previous_response_id: first.id, input });
    const types: string[] = [];
    stream.on('event', ({ type }) => types.push(type));
    const next = await stream.finalResponse();
    expect([next.id, next.output_text]).toEqual([`${first.id}_1`, 'Done.']);
    expect(types).toContain(`response.mcp_call.${approve ? 'completed' : 'failed'}`);
    expect(timesBooked(what)).toBe(times);
    expect((await openai.responses.retrieve(next.id)).output_text).toBe('Done.');
    const items: string[] = [];
    for await (const { type } of openai.conversations.items.list(first.conversation?.id ?? '', { order: 'asc' })) {
      items.push(type);
    }
    expect(items).toEqual([
      'message',
      'message',
      'mcp_approval_request',
      'mcp_approval_response',
      'mcp_call',
      'message',
    ]);
  });

  it.each([
    ['whole', 'itself', true, 1],
    ['whole', 'here', true, 1],
    ['whole', 'itself', false, 0],
    ['streamed', 'itself', true, 1],
    ['streamed', 'here', false, 0],
  ])(
    '@openai/agents decides, %s, with a conversation that is stored %s: approve %s',
    async (form, kept, approve, times) => {
      const { options, model, key, what } = await asking();
      const provider = new OpenAIProvider({ ...options, useResponses: true });
      const runner = new Runner({ modelProvider: provider, tracingDisabled: true });
      const agent = new Agent({
        name: 'Guide',
        model,
        tools: [hostedMcpTool({ serverLabel: 'test', requireApproval: 'always' })],
      });
      const conversationId = kept === 'here' ? (await new OpenAI(options).conversations.create({})).id : undefined;
      const given = conversationId === undefined ? {} : { conversationId };
      const run = async (input: Parameters<typeof runner.run>[1]) => {
        if (form === 'whole') return runner.run(agent, input as string, given);
        const streamed = await runner.run(agent, input as string, { ...given, stream: true });
        await streamed.completed;
        return streamed;
      };
      const first = await run(key);
      expect(first.interruptions).toHaveLength(1);
      expect(timesBooked(what)).toBe(0);
      for (const interruption of first.interruptions) {
        if (approve) first.state.approve(interruption);
        else first.state.reject(interruption);
      }
      const next = await run(first.state as never);
      expect(next.finalOutput).toBe('Done.');
      expect(timesBooked(what)).toBe(times);
    },
  );
});
