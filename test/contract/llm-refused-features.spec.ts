import type { CompletionRequest } from '../../src/integrations/llm/port/language-model-provider';
import { FeatureNotSupportedError } from '../../src/integrations/llm/port/llm.errors';
import type { ModelFeature, ToolDefinition } from '../../src/integrations/llm/port/message-parts';
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import type { ModelRefusal } from '../support/model-server/model-server';
import { DISPENSABLE_REFUSALS, FEATURE_REFUSALS } from '../support/model-server/refusals/feature-refusals';
import { createGateway, createKnowledge, type GatewayOptions, generationFor, run } from './llm-gateway.harness';
import { AdapterHarness, CallListener, rejectionOf } from './llm-provider.harness';
import { binary, call, result, text, turn } from './llm-turns';

const TOOL: ToolDefinition = { name: 'f', description: null, parameters: { type: 'object' }, strict: true };
const SCHEMA = { type: 'json_schema', name: 'n', description: null, schema: { type: 'object' }, strict: true } as const;

/** A request that needs the feature; its last message is the key of the script. */
function needing(feature: ModelFeature, key = 'key'): Partial<CompletionRequest> {
  const question = { role: 'user' as const, content: key };
  switch (feature) {
    case 'tools':
      return { messages: [question], tools: [TOOL] };
    case 'response_format':
      return { messages: [question], responseFormat: SCHEMA };
    default: {
      const type = feature === 'images' ? 'image' : 'file';
      return { messages: [turn('user', text(key), binary(type, type === 'image' ? 'image/png' : 'application/pdf'))] };
    }
  }
}

describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  function gatewayTo(provider: string, options: GatewayOptions = {}): ReturnType<typeof createGateway> {
    const adapter = harness.adapter(provider.startsWith('Anthropic') ? 'anthropic' : 'openai-compatible');
    Object.assign(adapter, { name: 'openai-compatible' });
    return createGateway(harness, { providers: [adapter, harness.adapter('demo')], ...options });
  }

  async function ask(
    gateway: ReturnType<typeof createGateway>,
    feature: ModelFeature,
    refuses: ModelRefusal[] = [],
    more = {},
  ) {
    const key = `key ${Math.random()}`;
    await harness.modelServer.script({ key, refuses, steps: [{ text: 'fine' }] });
    const listener = new CallListener();
    const request = generationFor(key, { ...needing(feature, key), ...more });
    const reply = gateway.generate(request, listener, new AbortController().signal);
    reply.catch(() => undefined);
    return { reply, listener, bodies: async () => (await harness.modelServer.requests(key)).map(({ body }) => body) };
  }

  const refusals = Object.entries(FEATURE_REFUSALS).flatMap(([feature, byProvider]) =>
    Object.entries(byProvider).map(([provider, refuse]): [ModelFeature, string, ModelRefusal] => [
      feature as ModelFeature,
      provider,
      refuse,
    ]),
  );

  it.each(refusals)(
    'reports that a model does not support %s, and calls it only once (%s)',
    async (feature, provider, refuse) => {
      const { reply, bodies } = await ask(gatewayTo(provider), feature, [refuse]);
      const error = await rejectionOf(reply);
      expect(error).toBeInstanceOf(FeatureNotSupportedError);
      expect(error).toMatchObject({
        status: 422,
        details: { feature },
        retryable: false,
        isOutage: false,
        providerStatus: refuse.status,
        failedModel: { provider: 'openai-compatible', model: 'test-model' },
      });
      expect(await bodies()).toHaveLength(1);
    },
  );

  it.each(refusals)(
    'interprets the same error differently if no %s were sent (%s)',
    async (feature, provider, refuse) => {
      const other = feature === 'tools' ? 'response_format' : 'tools';
      const gateway = gatewayTo(provider, { settings: { retryDelays: [] } });
      const { reply } = await ask(gateway, other, [{ ...refuse, when: { containing: '' } }]);
      expect(await rejectionOf(reply)).not.toMatchObject({ details: { feature } });
    },
  );

  it('reads the refused feature, and not the alternative that the server would accept', async () => {
    const key = `key ${Math.random()}`;
    await harness.modelServer.script({ key, refuses: [FEATURE_REFUSALS.files.Azure as ModelRefusal] });
    const message = turn('user', text(key), binary('image', 'image/png'), binary('file', 'application/pdf'));
    const request = generationFor(key, { messages: [message] });
    const reply = gatewayTo('OpenAI').generate(request, new CallListener(), new AbortController().signal);
    expect(await rejectionOf(reply)).toMatchObject({ details: { feature: 'files' } });
  });

  it('retries when a server could not parse a call of the model', async () => {
    const error = { message: 'Failed to parse tool call arguments as JSON', code: 'tool_use_failed' };
    const script = { status: 400, body: JSON.stringify({ error }) };
    const { result: reply, requestCount } = await run(harness, gatewayTo('OpenAI'), [script, {}], {
      request: { tools: [TOOL] },
    });
    await reply;
    expect(await requestCount()).toBe(2);
  });

  it('reads a refusal within a stream', async () => {
    const error = { message: 'Qwen/Qwen3-8B is not a multimodal model', type: 'BadRequestError', code: 400 };
    const key = `key ${Math.random()}`;
    await harness.modelServer.script({ key, steps: [{ error }], unfinished: true });
    const request = generationFor(key, needing('images', key));
    const reply = gatewayTo('vLLM').generate(request, new CallListener(), new AbortController().signal);
    expect(await rejectionOf(reply)).toMatchObject({ status: 422, details: { feature: 'images' } });
  });

  it('calls a fallback model after such a refusal', async () => {
    const { reply, bodies } = await ask(
      gatewayTo('OpenAI'),
      'images',
      [
        {
          ...(FEATURE_REFUSALS.images.vLLM as ModelRefusal),
          when: { parameter: 'model', unless: { model: 'second' } },
        },
      ],
      { fallbackModels: ['second'] },
    );
    expect(await reply).toMatchObject({ model: 'second' });
    expect((await bodies()).map(({ model }) => model)).toEqual(['test-model', 'second']);
  });

  it('treats it neither as an outage nor as an error of the provider', async () => {
    const gateway = gatewayTo('OpenAI', { settings: Object.assign(new ResilienceSettings(), { breakerThreshold: 1 }) });
    const { reply } = await ask(gateway, 'images', [FEATURE_REFUSALS.images['llama.cpp'] as ModelRefusal]);
    await rejectionOf(reply);
    const [described] = gateway.describe();
    expect(described).toMatchObject({ circuit: 'closed', lastOutcome: { ok: false, isDown: false, status: 500 } });
  });

  describe('for a provider that only calls functions, such as demo', () => {
    it.each<ModelFeature>(['images', 'files', 'response_format'])('refuses %s', async (feature) => {
      const { reply, listener } = await ask(gatewayTo('OpenAI'), feature, [], { provider: 'demo' });
      const error = await rejectionOf(reply);
      expect(error).toBeInstanceOf(FeatureNotSupportedError);
      expect(error).toMatchObject({ details: { feature }, failedModel: { provider: 'demo', model: 'demo' } });
      expect(listener.texts).toEqual([]);
    });

    it('accepts a conversation with calls', async () => {
      const messages = [turn('user', text('Hi')), turn('assistant', call('c')), turn('user', result('c'))];
      const { reply } = await ask(gatewayTo('OpenAI'), 'tools', [], { provider: 'demo', tools: [], messages });
      expect(await reply).toMatchObject({ provider: 'demo' });
    });

    it('calls a fallback model that may support it', async () => {
      const more = { provider: 'demo', fallbackModels: ['openai-compatible:second'] };
      const { reply } = await ask(gatewayTo('OpenAI'), 'images', [], more);
      expect(await reply).toMatchObject({ provider: 'openai-compatible', model: 'second' });
    });

    it('accepts text, a text response format, and no functions', async () => {
      const options = { responseFormat: { type: 'text' }, tools: [], messages: [{ role: 'user', content: 'Hi' }] };
      const { reply } = await ask(gatewayTo('OpenAI'), 'tools', [], { provider: 'demo', ...options });
      expect(await reply).toMatchObject({ provider: 'demo' });
    });
  });

  it.each<[keyof typeof DISPENSABLE_REFUSALS, string, (body: Record<string, unknown>) => void]>([
    ['PARALLEL', 'parallel_tool_calls', (body) => expect(body).not.toHaveProperty('parallel_tool_calls')],
    ['EFFORT', 'reasoning_effort', (body) => expect(body.reasoning_effort).toBe('none')],
    ['STRICT', 'strict', (body) => expect(JSON.stringify(body)).not.toContain('"strict"')],
    ['STRICT_FASTAPI', 'strict', (body) => expect(JSON.stringify(body)).not.toContain('"strict"')],
    ['ANTHROPIC_STRICT', 'strict', (body) => expect(JSON.stringify(body)).not.toContain('"strict"')],
  ])('retries once without the optional part, and remembers it (%s)', async (name, parameter, check) => {
    const { knowledge, facts } = createKnowledge();
    const gateway = gatewayTo(name.startsWith('ANTHROPIC') ? 'Anthropic' : 'OpenAI', { knowledge });
    const more = { parallelToolCalls: false };
    for (const expected of [2, 1]) {
      const { reply, listener, bodies } = await ask(gateway, 'tools', [DISPENSABLE_REFUSALS[name]], more);
      await reply;
      expect(listener.text).toBe('fine');
      const sent = await bodies();
      expect(sent).toHaveLength(expected);
      expect(sent.at(-1)?.tools).toHaveLength(1);
      check(sent.at(-1) as Record<string, unknown>);
    }
    expect(facts.map((fact) => fact.parameter)).toEqual([parameter]);
  });

  it.each(['EFFORT', 'EFFORT_AT_ALL'] as const)('keeps the effort if no function is offered (%s)', async (name) => {
    const gateway = gatewayTo('OpenAI');
    const more = { parameters: { reasoning_effort: 'low' } };
    await (
      await ask(gateway, 'tools', [DISPENSABLE_REFUSALS[name]], more)
    ).reply;
    const { result: plain, key } = await run(harness, gateway, [{}], {
      request: { parameters: { reasoning_effort: 'high' } },
    });
    await plain;
    const [received] = await harness.modelServer.requests(key);
    expect(received?.body.reasoning_effort).toBe('high');
  });
});
