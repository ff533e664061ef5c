import type { CompletionRequest, ModelMessage } from '../../src/integrations/llm/port/language-model-provider';
import { FeatureNotSupportedError } from '../../src/integrations/llm/port/llm.errors';
import type { ToolChoice, ToolDefinition } from '../../src/integrations/llm/port/message-parts';
import { AdapterHarness, NETWORK_ADAPTERS, rejectionOf } from './llm-provider.harness';
import { binary, call, result, text, turn } from './llm-turns';
import { WIRE_MESSAGES } from './llm-wire-messages';

const WEATHER: ToolDefinition = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: null,
};
const NOW: ToolDefinition = { name: 'now', description: null, parameters: null, strict: true };
const SCHEMA = { type: 'object', properties: { tags: { type: 'array', items: { type: 'object' } } } };
const FORM = { type: 'json_schema', name: 'tags', description: 'Tags.', schema: SCHEMA, strict: true } as const;

function assistant(content: string): ModelMessage {
  return { role: 'assistant', content };
}

function system(content: string): ModelMessage {
  return { role: 'system', content };
}

type Body = Record<string, unknown> & { messages: unknown[] };

/** The wire format of a request with parts, functions and response formats. */
describe('a network adapter', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  /** The sent body, without the last user message, which is the key. */
  async function sent(name: (typeof NETWORK_ADAPTERS)[number], request: Partial<CompletionRequest>): Promise<Body> {
    const { key } = await harness.complete(name, {}, request);
    const [received] = await harness.modelServer.requests(key);
    const body = received?.body as Body;
    expect(body.messages.pop()).toEqual({ role: 'user', content: key });
    return body;
  }

  describe.each(WIRE_MESSAGES)('sends %s', (_case, messages, wire) => {
    it('to OpenAI', async () => {
      expect((await sent('openai-compatible', { messages })).messages).toEqual(wire.openai);
    });

    it('to Anthropic', async () => {
      expect((await sent('anthropic', { messages })).messages).toEqual(wire.anthropic);
    });
  });

  describe.each(NETWORK_ADAPTERS)('for %s', (name) => {
    it('adds nothing to a request of plain text', async () => {
      const body = await sent(name, { messages: [{ role: 'system', content: 'Be kind.' }] });
      const fields = ['max_tokens', 'messages', 'model', 'stream', 'stream_options', 'system'];
      expect(fields).toEqual(expect.arrayContaining(Object.keys(body)));
    });

    it.each<[string, ModelMessage[]]>([
      ['text', [assistant('Two')]],
      ['parts', [turn('assistant', call('c1')), turn('user', result('c1')), assistant('Two')]],
    ])('puts all system messages first (%s)', async (_what, between) => {
      const [first, ...others] = ['You are the agent.', '', 'Be brief.', 'Answer in French.'].map((content) =>
        system(content),
      );
      const messages = [first as ModelMessage, turn('user', text('One')), ...between, ...others];
      const body = await sent(name, { messages });
      const said = 'You are the agent.\n\nBe brief.\n\nAnswer in French.';
      const roles = body.messages.map((message) => (message as ModelMessage).role);
      expect(roles.lastIndexOf('system')).toBe(name === 'anthropic' ? -1 : 0);
      expect(name === 'anthropic' ? body : body.messages[0]).toMatchObject(
        name === 'anthropic' ? { system: said } : { content: said },
      );
    });

    it('gives every call a result, and turns results without a call into text', async () => {
      const messages: ModelMessage[] = [
        turn('user', result('lost', 'old')),
        turn('assistant', call('c1'), call('c2')),
        turn('user', result('c2'), text('And now?')),
        turn('assistant', call('c3')),
      ];
      const { key } = await harness.complete(name, {}, { messages });
      const [received] = await harness.modelServer.requests(key);
      const { messages: wire } = (received as { body: Body }).body;
      const told = JSON.stringify(wire);
      expect(told).toContain('Result of lost: old');
      expect(told.match(/There is no result/g)).toHaveLength(2);
      if (name === 'anthropic') {
        const results = wire.map(
          (message) => (message as { content: { type: string; tool_use_id?: string }[] }).content,
        );
        expect(results.map((blocks) => blocks.map((block) => block.tool_use_id ?? block.type))).toEqual([
          ['text'],
          ['tool_use', 'tool_use'],
          ['c2', 'c1', 'text'],
          ['tool_use'],
          ['c3', 'text'],
        ]);
      } else {
        const roles = wire.map((message) => message as { role: string; tool_call_id?: string });
        expect(roles.map(({ role, tool_call_id }) => tool_call_id ?? role)).toEqual([
          'user',
          'assistant',
          'c2',
          'c1',
          'user',
          'assistant',
          'c3',
          'user',
        ]);
      }
    });

    it('offers only the functions that a choice allows', async () => {
      const toolChoice: ToolChoice = { mode: 'required', allowed: ['now'] };
      const body = await sent(name, { tools: [WEATHER, NOW], toolChoice });
      expect(JSON.stringify(body.tools)).not.toContain('get_weather');
      expect(body.tool_choice).toEqual(name === 'anthropic' ? { type: 'any' } : 'required');
    });

    it('sends no choice without functions', async () => {
      const body = await sent(name, { tools: [], toolChoice: 'auto', parallelToolCalls: false });
      expect(Object.keys(body).filter((field) => /tool/.test(field))).toEqual([]);
    });

    it('omits the strictness of a schema if the model refused that parameter', async () => {
      const adjustments = { strict: { leaveOut: true } } as const;
      const body = await sent(name, { tools: [NOW], responseFormat: FORM, adjustments });
      expect(JSON.stringify(body)).not.toContain('strict');
    });
  });

  it('offers functions to OpenAI in its form', async () => {
    const request = { tools: [WEATHER, NOW], toolChoice: { name: 'now' }, parallelToolCalls: false };
    expect(await sent('openai-compatible', request)).toMatchObject({
      tools: [
        {
          type: 'function',
          function: { name: 'get_weather', description: WEATHER.description, parameters: WEATHER.parameters },
        },
        {
          type: 'function',
          function: {
            name: 'now',
            parameters: { type: 'object', properties: {}, additionalProperties: false },
            strict: true,
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'now' } },
      parallel_tool_calls: false,
    });
  });

  it.each<[ToolChoice | undefined, boolean | undefined, object | undefined]>([
    [undefined, undefined, undefined],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['auto', true, { type: 'auto' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    ['none', false, { type: 'none' }],
    [{ name: 'now' }, undefined, { type: 'tool', name: 'now' }],
  ])('sends Anthropic the choice %j (parallel: %s)', async (toolChoice, parallelToolCalls, expected) => {
    const body = await sent('anthropic', { tools: [WEATHER, NOW], toolChoice, parallelToolCalls });
    expect(body.tool_choice).toEqual(expected);
    expect(body.tools).toEqual([
      { name: 'get_weather', description: WEATHER.description, input_schema: WEATHER.parameters },
      { name: 'now', input_schema: { type: 'object', properties: {}, additionalProperties: false }, strict: true },
    ]);
  });

  it('declares past functions to Anthropic, which refuses unknown calls, and forbids calling them', async () => {
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      turn('assistant', call('c1')),
      turn('user', result('c1')),
    ];
    const body = await sent('anthropic', { messages: [...messages, { role: 'assistant', content: 'Rain.' }] });
    expect(body).toMatchObject({
      tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  it('requests a response format', async () => {
    const { name, description, schema, strict } = FORM;
    expect(await sent('openai-compatible', { responseFormat: FORM })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name, description, schema, strict } },
    });
    const closed = {
      type: 'object',
      additionalProperties: false,
      properties: { tags: { type: 'array', items: { type: 'object', additionalProperties: false } } },
    };
    expect(await sent('anthropic', { responseFormat: FORM })).toMatchObject({
      output_config: { format: { type: 'json_schema', schema: closed } },
    });
  });

  it('requests any JSON object, from Anthropic in words', async () => {
    const responseFormat = { type: 'json_object' } as const;
    expect(await sent('openai-compatible', { responseFormat })).toMatchObject({ response_format: responseFormat });
    const messages: ModelMessage[] = [{ role: 'system', content: 'Be kind.' }];
    expect((await sent('anthropic', { responseFormat, messages })).system).toMatch(
      /^Be kind\.\n\nAnswer with one JSON/,
    );
  });

  it.each([
    ['files', binary('file', 'application/zip')],
    ['images', binary('image', 'image/tiff')],
  ] as const)('refuses %s of a type that Anthropic does not accept, without a request', async (feature, part) => {
    const messages = [turn('user', part)];
    const request = { model: null, messages, parameters: {} };
    expect(harness.adapter('anthropic').missingFeature(request)).toBe(feature);
    const error = await rejectionOf(harness.complete('anthropic', {}, { messages }));
    expect(error).toBeInstanceOf(FeatureNotSupportedError);
    expect(error).toMatchObject({ status: 422, details: { feature }, retryable: false });
  });
});
