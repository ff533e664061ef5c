import { uniqueContent } from '../support/chat-client';
import type { ModelStep } from '../support/model-server/model-server';
import { lastResponse, ResponsesClient, textOf } from '../support/open-responses/responses-client';
import { expectOpenAiFailure } from '../support/openai-failure';
import { useChatApp, useClient } from '../support/use-app';

const PATCH = { type: 'custom', name: 'apply_patch', description: 'Changes files.' };

const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' };

const LOOK_UP = { type: 'function', name: 'look_up', parameters: { type: 'object', properties: {} } };

const TEAM = { type: 'namespace', name: 'team', description: 'Sub-agents.', tools: [{ ...LOOK_UP, name: 'spawn' }] };

/** Not ASCII, with every type of escape. */
const INPUT = '*** Begin Patch\n+"Grüße" \\ \t😀 /\u2028';

describe('tools of API clients', () => {
  const app = useChatApp();
  const user = useClient(app);
  let client: ResponsesClient;

  beforeEach(() => {
    client = new ResponsesClient(app.origin, user.token, 'General assistant');
  });

  /** The model calls, and answers once it has the result. */
  async function calling(...steps: ModelStep[]): Promise<string> {
    const key = uniqueContent('call');
    await app.model.script({ key, times: 1, steps });
    await app.model.script({ key, steps: [{ text: 'Done.' }] });
    return key;
  }

  async function askedWith(key: string, index = 0): Promise<Record<string, unknown> & { messages: object[] }> {
    return (await app.model.requests(key))[index]?.body as never;
  }

  describe('of type custom', () => {
    const call = { toolCall: { id: 'c1', name: 'apply_patch', arguments: JSON.stringify({ input: INPUT }) } };

    it('are functions with one text for the model, and called with that text', async () => {
      const input = await calling(call);
      const first = await client.create({ input, tools: [{ ...PATCH, format: GRAMMAR }], tool_choice: PATCH });
      expect(first.tools).toEqual([{ ...PATCH, format: GRAMMAR }]);
      const item = { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: INPUT, status: 'completed' };
      expect(first.output).toEqual([expect.objectContaining(item)]);
      const { tools, tool_choice } = await askedWith(input);
      expect(tool_choice).toEqual({ type: 'function', function: { name: 'apply_patch' } });
      const parameters = { type: 'object', required: ['input'], additionalProperties: false };
      expect(tools).toMatchObject([{ type: 'function', function: { name: 'apply_patch', parameters } }]);
      expect(JSON.stringify(tools)).toContain('*** Begin Patch');
    });

    it('accept their results, as stored items and with the whole input', async () => {
      const input = await calling(call);
      const first = await client.create({ input, tools: [PATCH] });
      const result = { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' };
      const second = await client.create({ input: [result], previous_response_id: first.id, tools: [PATCH] });
      expect(textOf(second)).toBe('Done.');
      const whole = [{ role: 'user', content: input }, first.output[0], result];
      expect(textOf(await client.create({ input: whole, store: false, tools: [PATCH] }))).toBe('Done.');
      for (const request of [1, 2]) {
        const { messages } = await askedWith(input, request);
        expect(messages).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              role: 'assistant',
              tool_calls: [{ id: 'c1', type: 'function', function: expect.objectContaining({ name: 'apply_patch' }) }],
            }),
            { role: 'tool', tool_call_id: 'c1', content: 'ok' },
          ]),
        );
        expect(JSON.stringify(messages)).toContain(JSON.stringify(JSON.stringify({ input: INPUT })).slice(1, -1));
      }
      const { data } = await client.items(`/responses/${second.id}/input_items`);
      expect(data).toEqual([expect.objectContaining(result)]);
      const all = await client.items(`/conversations/${first.conversation?.id}/items?order=asc`);
      expect(all.data.map(({ type }) => type)).toEqual([
        'message',
        'custom_tool_call',
        'custom_tool_call_output',
        'message',
      ]);
    });

    it('send their input in events that add up with the same numbers', async () => {
      const input = await calling(call);
      const events = await client.stream({ input, tools: [PATCH] });
      const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
      expect(deltas.length).toBeGreaterThan(2);
      expect(deltas.map(({ delta }) => delta).join('')).toBe(INPUT);
      expect(events.find(({ type }) => type === 'response.custom_tool_call_input.done')?.input).toBe(INPUT);
      const { id } = lastResponse(events);
      expect(await client.join(id)).toEqual(events);
      expect(await client.join(id, 4)).toEqual(events.slice(5));
      expect(await client.get(id)).toEqual(lastResponse(events));
    });

    it.each([
      ['what is no JSON', '*** Begin', '*** Begin'],
      ['other members', '{"note":1,"input":"x"}', 'x'],
      ['something after the input', '{"input":"x","note":1}', 'x'],
      ['an input that is no text', '{"input":7}', '{"input":7}'],
      ['an input that is cut off', '{"input":"x\\', 'x'],
      ['half a character', '{"input":"\\ud83d"}', '\ufffd'],
      ['an unknown escape', '{"input":"a\\qb"}', 'aqb'],
    ])('handle %s gracefully', async (_case, text, expected) => {
      const input = await calling({ toolCall: { name: 'apply_patch', arguments: text } });
      const events = await client.stream({ input, tools: [PATCH] });
      const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
      expect(deltas.map(({ delta }) => delta).join('')).toBe(expected);
      expect(lastResponse(events).output).toEqual([expect.objectContaining({ input: expected })]);
    });
  });

  describe('in a namespace', () => {
    it('are declared under both names, and called under each', async () => {
      const input = await calling({ toolCall: { id: 'c1', name: 'team__spawn', arguments: '{"a":1}' } });
      const tool_choice = { type: 'function', name: 'spawn', namespace: 'team' };
      const first = await client.create({ input, tools: [TEAM, LOOK_UP], tool_choice });
      expect(first.tools.map((tool) => [tool.type, 'name' in tool && tool.name])).toEqual([
        ['namespace', 'team'],
        ['function', 'look_up'],
      ]);
      const call = { type: 'function_call', name: 'spawn', namespace: 'team', arguments: '{"a":1}' };
      expect(first.output).toEqual([expect.objectContaining(call)]);
      const { tools, tool_choice: told } = await askedWith(input);
      expect(tools).toMatchObject([{ function: { name: 'team__spawn' } }, { function: { name: 'look_up' } }]);
      expect(told).toEqual({ type: 'function', function: { name: 'team__spawn' } });
      const result = { type: 'function_call_output', call_id: 'c1', output: 'ok' };
      const whole = [{ role: 'user', content: input }, first.output[0], result];
      const second = await client.create({ input: whole, tools: [TEAM] });
      const { messages } = await askedWith(input, 1);
      expect(JSON.stringify(messages)).toContain('"name":"team__spawn"');
      const { data } = await client.items(`/responses/${second.id}/input_items?order=asc`);
      expect(data[1]).toMatchObject(call);
    });

    it('have a short name for the model if both are too long, always the same', async () => {
      const name = 'n'.repeat(60);
      const input = await calling({ toolCall: { name: 'x' } });
      const long = {
        ...TEAM,
        tools: [
          { ...LOOK_UP, name },
          { ...LOOK_UP, name: `${name}2` },
        ],
      };
      await client.create({ input, tools: [long] });
      await client.create({ input, tools: [long] });
      const names = await Promise.all(
        [0, 1].map(async (index) => JSON.stringify((await askedWith(input, index)).tools)),
      );
      expect(names[0]).toBe(names[1]);
      expect([...(names[0] ?? '').matchAll(/"name":"(team__n{49}_[0-9a-f]{8})"/g)].map(([, one]) => one)).toHaveLength(
        2,
      );
    });

    it.each([
      ['a function', [TEAM, { ...LOOK_UP, name: 'team__spawn' }], 'tools[1].name'],
      [
        'another namespace',
        [
          { ...TEAM, name: 'team__a' },
          { ...TEAM, tools: [{ ...LOOK_UP, name: 'a__spawn' }] },
        ],
        'tools[1].tools[0].name',
      ],
      ['a custom tool', [{ ...PATCH, name: 'team__spawn' }, TEAM], 'tools[1].tools[0].name'],
    ])('may not have the name of %s', async (_case, tools, param) => {
      expectOpenAiFailure(await client.post({ input: 'Hi', tools }), 400, 'invalid_value', param);
    });

    it('are limited in number', async () => {
      const many = Array.from({ length: 9 }, (_value, space) => ({
        ...TEAM,
        name: `n${space}`,
        tools: Array.from({ length: 57 }, (_one, index) => ({ type: 'function', name: `f${index}` })),
      }));
      expect((await client.post({ input: 'Hi', tools: many.slice(1) })).status).toBe(200);
      expectOpenAiFailure(await client.post({ input: 'Hi', tools: many }), 400, 'invalid_value', 'tools');
    });
  });

  describe('that no side executes', () => {
    const tools = [
      { type: 'web_search' },
      LOOK_UP,
      { type: 'tool_search', execution: 'client' },
      { ...TEAM, tools: [{ type: 'image_generation' }, { ...LOOK_UP, name: 'spawn' }] },
    ];

    it('are left out, and named', async () => {
      const input = await calling({ text: 'Hi.' });
      const { headers, body } = await client.post({ input, tools });
      expect(headers.get('x-ignored-tools')).toBe('web_search, tool_search, image_generation');
      expect(body.tools.map(({ type }) => type)).toEqual(['function', 'namespace']);
      expect(JSON.stringify(body.tools)).not.toContain('image_generation');
      expect((await askedWith(input)).tools).toHaveLength(2);
      const streamed = await client.request('/responses', {
        body: { model: client.model, stream: true, input, tools },
      });
      expect(streamed.headers.get('x-ignored-tools')).toBe('web_search, tool_search, image_generation');
      expect(streamed.headers.get('access-control-expose-headers') ?? 'X-Ignored-Tools').toContain('X-Ignored-Tools');
      expect((await client.post({ input: 'Hi', tools: [LOOK_UP] })).headers.has('x-ignored-tools')).toBe(false);
    });

    it('do not break a header', async () => {
      const { headers, status } = await client.post({
        input: 'Hi',
        tools: [{ type: 'a\r\nSet-Cookie: b' }, { type: 'é'.repeat(500) }],
      });
      expect(status).toBe(200);
      expect(headers.get('x-ignored-tools')).toBe(`a__Set-Cookie__b, ${'_'.repeat(64)}`);
    });

    it.each([
      ['named', { type: 'web_search' }, [{ type: 'web_search' }, LOOK_UP], 'tool_choice.type'],
      ['all that must be called', 'required', [{ type: 'web_search' }], 'tools'],
      [
        'all that are allowed and must be called',
        { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
        [{ type: 'web_search' }, LOOK_UP],
        'tool_choice.tools',
      ],
    ])('are refused if they are %s', async (_case, tool_choice, offered, param) => {
      const { status, text } = await client.post({ input: 'Hi', tools: offered, tool_choice });
      expect([status, JSON.parse(text)]).toMatchObject([400, { error: { param } }]);
    });

    it('are optional if others are allowed too', async () => {
      const input = await calling({ text: 'Hi.' });
      const allowed = [
        { type: 'web_search' },
        { type: 'function', name: 'look_up' },
        { type: 'custom', name: 'apply_patch' },
      ];
      const response = await client.create({
        input,
        tools: [...tools, PATCH],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed },
      });
      expect(response.status).toBe('completed');
      const { tools: told } = await askedWith(input);
      expect(told).toMatchObject([{ function: { name: 'look_up' } }, { function: { name: 'apply_patch' } }]);
    });
  });
});
