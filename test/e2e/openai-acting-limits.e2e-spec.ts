import type { ToolUse } from '../support/acting';
import { useActing } from '../support/acting';
import { uniqueContent } from '../support/chat-client';
import { CompletionCaller } from '../support/completion-stream';
import { ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';

const WEATHER = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } };

const FUNCTION = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object', properties: {} } },
};

describe("agents' tools in the OpenAI API", () => {
  const { app, client, tools, agentWith, calling, saying, actionsOf, decide } = useActing();

  const callerOf = async (uses: ToolUse[], token = client.token): Promise<ResponsesClient> =>
    new ResponsesClient(app.origin, token, (await agentWith(uses)).name);

  const offeredTo = async (key: string, index = 0): Promise<string[]> => {
    const offered = ((await app.model.requests(key))[index]?.body.tools ?? []) as { function: { name: string } }[];
    return offered.map(({ function: { name } }) => name);
  };

  const typesIn = ({ output }: { output: { type: string }[] }): string[] => output.map(({ type }) => type);

  describe('in responses', () => {
    it.each<[string, object, string[]]>([
      ['no more than a label', {}, ['book', 'calculate', 'note']],
      ['names', { allowed_tools: ['note'] }, ['calculate', 'note']],
      ['names in an object', { allowed_tools: { tool_names: ['note', 'huge'] } }, ['calculate', 'note']],
      ['what is read-only', { allowed_tools: { read_only: true } }, ['calculate']],
    ])('are narrowed by %s', async (_what, server, expected) => {
      const caller = await callerOf([{ name: 'book' }, { name: 'note', policy: 'auto' }, { name: 'calculate' }]);
      const key = uniqueContent();
      await saying(key, 'Yes.');
      const entry = { type: 'mcp', server_label: 'test', ...server };
      const response = await caller.create({ input: key, tools: [entry] });
      expect((await offeredTo(key)).sort()).toEqual(expected);
      expect(response.tools).toEqual([entry]);
    });

    it.each<[unknown, boolean, boolean]>([
      ['never', true, false],
      ['always', true, true],
      [{ always: { tool_names: ['note'] } }, true, true],
      [{ always: { read_only: true } }, true, false],
      [{ never: { tool_names: ['book', 'note'] } }, true, false],
      [{ never: { tool_names: ['book'] } }, true, true],
    ])('require more approvals by require_approval %j, and never fewer', async (require_approval, ...asked) => {
      const caller = await callerOf([{ name: 'book' }, { name: 'note', policy: 'auto' }]);
      const server = { type: 'mcp', server_label: 'test', require_approval };
      for (const [index, name] of ['book', 'note'].entries()) {
        const key = uniqueContent();
        await calling(key, [name, { what: key }]);
        await saying(key, 'Done.');
        const isAsked = typesIn(await caller.create({ input: key, tools: [server] })).includes('mcp_approval_request');
        expect(isAsked).toBe(asked[index]);
      }
    });

    it("require them also for calls after a person's decision", async () => {
      const caller = await callerOf([{ name: 'book' }, { name: 'note', policy: 'auto' }]);
      const key = uniqueContent();
      await calling(key, ['book', { what: key }]);
      await calling(key, ['note', { what: key }]);
      const { body: named } = await caller.request<{ id: string }>('/conversations', { body: {} });
      const server = { type: 'mcp', server_label: 'test', require_approval: 'always' };
      const { conversation } = await caller.create({ input: key, tools: [server], conversation: named.id });
      const chatId = Number(conversation?.id.slice('conv_'.length));
      const [action] = await actionsOf(chatId);
      const word = { decision: 'approve', arguments_hash: action?.arguments_hash };
      expect((await decide(chatId, action?.id ?? 0, word)).body[1].status).toBe('requires_action');
      expect(await actionsOf(chatId)).toMatchObject([{ kind: 'approve', tool: 'note' }]);
    });

    it('are refused with forbidden parameters', async () => {
      const caller = await callerOf([{ name: 'book' }]);
      const bad = async (tool: object, param: string, code = 'unsupported_parameter') =>
        expectOpenAiFailure(
          await caller.post({ input: 'Hi', tools: [{ type: 'mcp', server_label: 'test', ...tool }] }),
          400,
          code,
          param,
        );
      await bad({ server_label: 'nowhere' }, 'tools[0].server_label', 'invalid_value');
      await bad({ server_label: 'tool' }, 'tools[0].server_label', 'invalid_value');
      await bad({ server_url: 'https://example.com/mcp' }, 'tools[0].server_url');
      await bad({ connector_id: 'connector_gmail' }, 'tools[0].connector_id');
      await bad({ headers: {} }, 'tools[0].headers');
      const double = { ...WEATHER, name: 'book' };
      expectOpenAiFailure(await caller.post({ input: 'Hi', tools: [double] }), 400, 'invalid_value', 'tools[0].name');
    });

    it("run together with the client's functions, which end the response", async () => {
      const caller = await callerOf([{ name: 'calculate' }, { name: 'book' }]);
      const key = uniqueContent();
      await calling(key, ['get_weather', {}], ['calculate', { expression: '1 + 1' }], ['book', { what: key }]);
      await saying(key, 'Done.');
      const first = await caller.create({ input: key, tools: [WEATHER] });
      expect(typesIn(first)).toEqual(['message', 'function_call', 'mcp_call', 'mcp_approval_request']);
      const [, call, , approval] = first.output as { call_id?: string; id: string }[];
      const decision = { type: 'mcp_approval_response', approval_request_id: approval?.id, approve: true };
      const output = { type: 'function_call_output', call_id: call?.call_id, output: 'Rain' };
      const previous_response_id = first.id;
      const last = await caller.create({ previous_response_id, input: [decision, output], tools: [WEATHER] });
      expect(textOf(last)).toBe('Done.');
      expect(tools.booked.filter((booked) => booked === key)).toHaveLength(1);
      const requests = await app.model.requests(key);
      expect(requests).toHaveLength(2);
      expect(requests[1]?.body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'tool']);
      expect(JSON.stringify(requests[1]?.body.messages)).toContain('Rain');
    });

    it("count the usage of each part of the reply, including the provider's cache", async () => {
      const caller = await callerOf([{ name: 'book' }]);
      const key = uniqueContent();
      const toolCall = { name: 'book', arguments: JSON.stringify({ what: key }) };
      const usage = (written: number) => ({
        prompt_tokens: 100,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: written },
      });
      await app.model.script({ key, times: 1, steps: [{ toolCall }], usage: usage(30) });
      await app.model.script({ key, steps: [{ text: 'Done.' }], usage: usage(7) });
      const first = await caller.create({ input: key });
      const [approval] = first.output;
      const decision = { type: 'mcp_approval_response', approval_request_id: approval?.id, approve: true };
      const next = await caller.create({ previous_response_id: first.id, input: [decision] });
      const parts = [first, next, await caller.get(first.id), await caller.get(next.id)];
      expect(parts.map((part) => part.usage?.input_tokens_details)).toEqual([
        { cached_tokens: 20, cache_write_tokens: 30 },
        { cached_tokens: 20, cache_write_tokens: 7 },
        { cached_tokens: 20, cache_write_tokens: 30 },
        { cached_tokens: 20, cache_write_tokens: 7 },
      ]);
    });

    it('are decided with a separate scope', async () => {
      const keyWith = async (scopes: string[]): Promise<string> => {
        const answer = await client.request<{ key: string }>('/user/api-keys', { body: { name: 'k', scopes } });
        return answer.body.key;
      };
      const caller = await callerOf([{ name: 'book' }], await keyWith(['openai']));
      const key = uniqueContent();
      await calling(key, ['book', { what: key }]);
      await saying(key, 'Done.');
      const first = await caller.create({ input: key });
      const approval_request_id = first.output.at(-1)?.id;
      const decision = { type: 'mcp_approval_response', approval_request_id, approve: true };
      const body = { previous_response_id: first.id, input: [decision] };
      expectOpenAiFailure(await caller.post(body), 403, 'SCOPE_REQUIRED', null);
      const decider = new ResponsesClient(app.origin, await keyWith(['openai', 'actions:decide']), caller.model);
      expectOpenAiFailure(await decider.post({ ...body, store: false }), 400, 'unsupported_parameter', 'store');
      const unknown = { ...decision, approval_request_id: 'mcpr_999999_0' };
      const wrong = { ...body, input: [unknown] };
      expectOpenAiFailure(await decider.post(wrong), 404, 'ACTION_NOT_FOUND', null);
      const stranger = await app.newClient();
      const other = new ResponsesClient(app.origin, stranger.token, caller.model);
      expectOpenAiFailure(await other.post({ input: [decision] }), 404, 'ACTION_NOT_FOUND', null);
      expect(textOf(await decider.create(body))).toBe('Done.');
    });
  });

  describe('without storage', () => {
    it.each(['whole', 'streamed'])('run in a completion, %s, if no approval is needed', async (form) => {
      const agent = await agentWith([{ name: 'calculate' }, { name: 'book' }, { name: 'note', policy: 'auto' }]);
      const caller = new CompletionCaller(app.origin, client.token);
      const key = uniqueContent();
      await calling(key, ['calculate', { expression: '6 * 7' }], ['note', { what: key }]);
      await saying(key, 'It is 42.');
      const body = { model: agent.name, messages: [{ role: 'user', content: key }], tools: [FUNCTION] };
      if (form === 'whole') {
        const answer = await caller.complete(body);
        expect(answer.headers.get('x-withheld-tools')).toBe('book');
        const [choice] = answer.body.choices;
        expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: 'Let me see. It is 42.' } });
        expect(choice?.message.tool_calls).toBeUndefined();
      } else {
        const { chunks } = await caller.stream(body);
        const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
        expect(deltas.map(({ content }) => content ?? '').join('')).toBe('Let me see. It is 42.');
        expect(deltas.some(({ tool_calls }) => tool_calls !== undefined)).toBe(false);
      }
      expect((await offeredTo(key)).sort()).toEqual(['calculate', 'get_weather', 'note']);
      const [, second] = await app.model.requests(key);
      expect(second?.body.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
      const exported = await client.request<{ tool_calls?: { arguments: unknown; result: unknown }[] }>('/user/export');
      expect(JSON.stringify(exported.body)).not.toContain(key);
    });

    it("end with the client's calls", async () => {
      const agent = await agentWith([{ name: 'calculate' }]);
      const caller = new CompletionCaller(app.origin, client.token);
      const key = uniqueContent();
      await calling(key, ['calculate', { expression: '1' }], ['get_weather', {}]);
      const body = { model: agent.name, messages: [{ role: 'user', content: key }], tools: [FUNCTION] };
      const [choice] = (await caller.complete(body)).body.choices;
      expect(choice?.finish_reason).toBe('tool_calls');
      expect(choice?.message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }]);
      const double = { ...FUNCTION, function: { ...FUNCTION.function, name: 'calculate' } };
      const answer = await caller.complete({ ...body, tools: [double] });
      expectOpenAiFailure(answer, 400, 'invalid_value', 'tools[0].function.name');
    });

    it.each([
      ['read_page', 'note, read_page'],
      ['calculate', null],
    ])('are withheld, if %s is one of them, if the client sends the replies: %s', async (reading, withheld) => {
      const agent = await agentWith([{ name: 'note', policy: 'auto' }, { name: reading }]);
      const key = uniqueContent();
      await saying(key, 'Well.');
      const messages = [
        { role: 'user', content: 'Hi.' },
        { role: 'assistant', content: 'Call note.' },
        { role: 'user', content: key },
      ];
      const { headers } = await new CompletionCaller(app.origin, client.token).complete({
        model: agent.name,
        messages,
      });
      expect(headers.get('x-withheld-tools')).toBe(withheld);
      expect(await offeredTo(key)).toEqual(withheld === null ? ['note', 'calculate'] : []);
    });

    it('are denied after untrusted content', async () => {
      const caller = await callerOf([{ name: 'read_page' }, { name: 'note', policy: 'auto' }, { name: 'book' }]);
      const key = uniqueContent();
      await calling(key, ['read_page', { what: key }]);
      await calling(key, ['note', { what: key }]);
      await saying(key, 'I may not.');
      const before = tools.keys.length;
      const answer = await caller.post({ input: key, store: false });
      expect(answer.headers.get('x-withheld-tools')).toBe('book');
      expect(answer.body.output.map((item) => ('status' in item ? `${item.type} ${item.status}` : item.type))).toEqual([
        'message completed',
        'mcp_call completed',
        'message completed',
        'mcp_call failed',
        'message completed',
      ]);
      expect(tools.keys).toHaveLength(before);
    });

    it('are forced once by a choice, not in each round', async () => {
      const caller = await callerOf([{ name: 'calculate' }]);
      const key = uniqueContent();
      await calling(key, ['calculate', { expression: '1' }]);
      await saying(key, 'One.');
      const tool_choice = { type: 'mcp', server_label: 'tool', name: 'calculate' };
      await caller.create({ input: key, tools: [{ type: 'mcp', server_label: 'tool' }], tool_choice });
      const choices = (await app.model.requests(key)).map(({ body }) => body.tool_choice);
      expect(choices).toEqual(['required', 'auto']);
    });
  });
});
