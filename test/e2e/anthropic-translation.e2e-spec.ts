import { uniqueContent } from '../support/chat-client';
import { MessageCaller, shapeOf } from '../support/message-caller';
import type { ModelRequest, ModelScript } from '../support/model-server/model-server';
import { png } from '../support/sent-images';
import { useChatApp, useClient } from '../support/use-app';

const MODEL = 'General assistant';

const WEATHER = {
  name: 'get_weather',
  description: 'Weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const TIME = { name: 'get_time', input_schema: { type: 'object', properties: {} } };

const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

describe('messages that are translated for a provider with another API', () => {
  const app = useChatApp();
  const user = useClient(app);

  const caller = (): MessageCaller => new MessageCaller(app.origin, user.token);

  /** A conversation whose last user message is a key of the scripted model. */
  async function asking(script: Partial<ModelScript> = {}, more: object = {}) {
    const key = uniqueContent('message');
    await app.model.script({ key, steps: [{ text: 'Hello.' }], ...script });
    return { key, body: { model: MODEL, messages: [{ role: 'user', content: key }], ...more } };
  }

  const sent = async (key: string, index = 0): Promise<ModelRequest['body']> =>
    (await app.model.requests(key))[index]!.body;

  it('are returned whole, with every field of the newest version', async () => {
    const { body } = await asking({ usage: USAGE });
    const answer = await caller().create(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^msg_[0-9A-Za-z]{24}$/) as string,
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'Hello.', citations: null }],
      container: null,
      diagnostics: null,
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 40,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 60,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 5 },
        server_tool_use: null,
        cache_creation: null,
        inference_geo: null,
        service_tier: null,
        speed: null,
      },
    });
  });

  it('are streamed in the order of the API, block by block', async () => {
    const steps = [
      { reasoning: 'Hm' },
      { reasoning: '.' },
      { text: 'I look.' },
      { toolCall: { id: 'call:1', name: 'get_weather', arguments: '{"city":"Paris"}' } },
      { toolCall: { id: 'call_2', name: 'get_time' } },
    ];
    const { body } = await asking({ steps, usage: USAGE }, { tools: [WEATHER, TIME], thinking: { type: 'adaptive' } });
    const { events } = await caller().stream(body);
    const shape = shapeOf(events).filter((one, index, all) => one !== all[index - 1]);
    expect(shape).toEqual([
      'message_start',
      'ping',
      'content_block_start 0 thinking',
      'content_block_delta 0 thinking_delta',
      'content_block_delta 0 signature_delta',
      'content_block_stop 0',
      'content_block_start 1 text',
      'content_block_delta 1 text_delta',
      'content_block_stop 1',
      'content_block_start 2 tool_use',
      'content_block_delta 2 input_json_delta',
      'content_block_stop 2',
      'content_block_start 3 tool_use',
      'content_block_delta 3 input_json_delta',
      'content_block_stop 3',
      'message_delta',
      'message_stop',
    ]);
    const [start] = events;
    expect(start?.message).toMatchObject({ model: MODEL, content: [], stop_reason: null });
    expect(start?.message?.usage.input_tokens).toBeGreaterThan(0);
    const call = events.find(({ content_block }) => content_block?.type === 'tool_use')?.content_block;
    expect(call).toMatchObject({ name: 'get_weather', input: {} });
    expect(call?.id).toMatch(/^toolu_[0-9a-f]{24}$/);
    expect(events.at(-2)).toEqual({
      type: 'message_delta',
      delta: { container: null, stop_reason: 'tool_use', stop_sequence: null, stop_details: null },
      usage: {
        input_tokens: 40,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 60,
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 5 },
        server_tool_use: null,
      },
    });
  });

  it('reach the provider with their instructions first, and with their settings', async () => {
    const { key, body } = await asking(
      {},
      {
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        max_tokens: 77,
        stop_sequences: ['END'],
        temperature: 0.5,
        output_config: { effort: 'max', format: { type: 'json_schema', schema: { type: 'object' } } },
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        metadata: { user_id: 'x' },
        top_k: 5,
        future_field: {},
      },
    );
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Two' },
          { type: 'text', text: key },
        ],
      },
    ];
    const { status, headers } = await caller().create({ ...body, messages });
    expect(status).toBe(200);
    expect(headers.get('x-ignored-fields')).toBe('metadata, top_k, future_field');
    const request = await sent(key);
    expect(request.messages).toHaveLength(2);
    expect(request.messages[0]?.content).toMatch(/Be brief\.\n\nBe kind\.$/);
    expect(request.messages[1]).toEqual({ role: 'user', content: `One\n\nTwo\n\n${key}` });
    expect(request).toMatchObject({
      max_tokens: 77,
      stop: ['END'],
      temperature: 0.5,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    });
    expect(request).not.toHaveProperty('top_k');
  });

  it('pass on tools, calls and results, and omit the tools that only Anthropic runs', async () => {
    const { key, body } = await asking();
    const image = png();
    const source = { type: 'base64', media_type: 'image/png', data: image.toString('base64') };
    const answer = await caller().create({
      ...body,
      tools: [
        { type: 'web_search_20250305', name: 'web_search' },
        { ...WEATHER, type: 'custom', strict: true },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      messages: [
        { role: 'user', content: key },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
            { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'toolu_2', name: 'get_weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'Rain' },
                { type: 'image', source },
              ],
            },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: 'No city', is_error: true },
            { type: 'text', text: key },
          ],
        },
      ],
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-ignored-tools')).toBe('web_search_20250305');
    const { messages, tools, tool_choice, parallel_tool_calls } = await sent(key);
    expect([tool_choice, parallel_tool_calls]).toEqual(['required', false]);
    expect(tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'Weather of a city.',
          parameters: WEATHER.input_schema,
          strict: true,
        },
      },
    ]);
    expect(messages.slice(-4)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'toolu_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
          { id: 'toolu_2', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'Rain' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'Error: No city' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of toolu_1:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${source.data}` } },
          { type: 'text', text: key },
        ],
      },
    ]);
  });

  it('give a call an id of its own if an earlier one has it', async () => {
    const { key, body } = await asking({ steps: [{ toolCall: { id: 'call_1', name: 'get_time' } }] });
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'get_time', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1' },
          { type: 'text', text: key },
        ],
      },
    ];
    const { content } = (await caller().create({ ...body, messages, tools: [TIME] })).body;
    expect(content[0]?.id).toMatch(/^toolu_[0-9a-f]{24}$/);
  });

  it('turn documents and search results into text and files', async () => {
    const { key, body } = await asking();
    const content = [
      {
        type: 'document',
        title: 'Notes',
        context: 'Of May',
        source: { type: 'text', media_type: 'text/plain', data: 'A' },
      },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'B' }] } },
      { type: 'search_result', title: 'Page', source: 'https://example.com', content: [{ type: 'text', text: 'C' }] },
      { type: 'unheard_of', data: 1 },
      { type: 'text', text: key },
    ];
    expect((await caller().create({ ...body, messages: [{ role: 'user', content }] })).status).toBe(200);
    const { messages } = await sent(key);
    const words = ['Document: Notes\nOf May', 'A', 'B', 'Search result: Page\nSource: https://example.com\n\nC', key];
    expect(messages.at(-1)).toEqual({ role: 'user', content: words.join('\n\n') });
  });

  it('drop reasoning of earlier turns, of this service and of others', async () => {
    const { key, body } = await asking(
      { steps: [{ reasoning: 'Hm.' }, { text: 'Hi.' }] },
      { thinking: { type: 'enabled' } },
    );
    const { body: first } = await caller().create(body);
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(first.content[0]).toMatchObject({ thinking: 'Hm.' });
    expect(first.content[0]?.signature).toMatch(/^ck1\./);
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [...first.content, { type: 'redacted_thinking', data: 'x' }] },
      { role: 'user', content: 'And' },
      { role: 'assistant', content: [first.content[0]] },
      { role: 'user', content: key },
    ];
    await caller().create({ ...body, messages });
    expect((await sent(key, 1)).messages.slice(-3)).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: `And\n\n${key}` },
    ]);
  });

  it.each([
    ['nothing wanted', undefined, []],
    ['switched off', { type: 'disabled' }, []],
    ['only between tools', { type: 'between_tools' }, []],
    ['omitted', { type: 'adaptive', display: 'omitted' }, ['']],
  ])('show thinking as wanted: %s', async (_what, thinking, expected) => {
    const { body } = await asking({ steps: [{ reasoning: 'Hm.' }, { text: 'Hi.' }] }, { thinking });
    const { content } = (await caller().create(body)).body;
    expect(content.filter(({ type }) => type === 'thinking').map((block) => block.thinking)).toEqual(expected);
  });

  it.each([
    ['length', 'max_tokens', null],
    ['content_filter', 'refusal', { type: 'refusal', category: null, explanation: null }],
  ])('end for the provider’s reason %s', async (finish, stop_reason, stop_details) => {
    const { body } = await asking({ finish });
    expect((await caller().create(body)).body).toMatchObject({ stop_reason, stop_details });
  });

  it('continue the last message of the model', async () => {
    const { key, body } = await asking();
    const messages = [
      { role: 'user', content: key },
      { role: 'assistant', content: 'The answer is' },
    ];
    expect((await caller().create({ ...body, messages })).status).toBe(200);
    expect((await sent(key)).messages.at(-1)).toEqual(messages[1]);
  });

  it('call no model for max_tokens 0', async () => {
    const { key, body } = await asking();
    const { body: whole } = await caller().create({ ...body, max_tokens: 0 });
    expect(whole).toMatchObject({
      content: [],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 0, output_tokens: 0 },
    });
    const { events } = await caller().stream({ ...body, max_tokens: 0 });
    expect(shapeOf(events)).toEqual(['message_start', 'ping', 'message_delta', 'message_stop']);
    expect(await app.model.requests(key)).toEqual([]);
  });

  it('have the number of tokens that count_tokens returns, without a limit of the reply', async () => {
    const { body } = await asking({}, { system: 'Be brief. '.repeat(100), tools: [WEATHER] });
    const counted = await caller().count(body);
    expect(counted.status).toBe(200);
    expect(counted.headers.get('x-token-count')).toBe('estimated');
    expect(counted.body.input_tokens).toBeGreaterThan(200);
    const { events } = await caller().stream(body);
    expect(events[0]?.message?.usage.input_tokens).toBe(counted.body.input_tokens);
  });
});
