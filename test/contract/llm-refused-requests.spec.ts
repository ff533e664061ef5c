import type { ModelMessage, ModelParameters } from '../../src/integrations/llm/port/language-model-provider';
import { ContentRefusedError, ContextTooLongError, ProviderError } from '../../src/integrations/llm/port/llm.errors';
import type { ModelRefusal } from '../support/model-server/model-server';
import { CONTENT_REFUSALS } from '../support/model-server/refusals/content-refusals';
import { LENGTH_REFUSALS } from '../support/model-server/refusals/length-refusals';
import * as parameters from '../support/model-server/refusals/parameter-refusals';
import { refusal } from '../support/model-server/refusals/refusal';
import { createGateway, createKnowledge, type GatewayOptions, generationFor, run } from './llm-gateway.harness';
import { AdapterHarness, RecordingListener, rejectionOf } from './llm-provider.harness';

describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  /** A gateway to OpenAI's format, or to Anthropic's if the refusal is Anthropic's. */
  function gatewayTo(provider: string, options: GatewayOptions = {}): ReturnType<typeof createGateway> {
    const isAnthropic = /anthropic/i.test(provider);
    // Both have the same name, because the gateway calls the default provider.
    const adapter = harness.adapter(isAnthropic ? 'anthropic' : 'openai-compatible');
    Object.assign(adapter, { name: 'openai-compatible' });
    return createGateway(harness, { providers: [adapter], ...options });
  }

  async function bodies(key: string): Promise<Record<string, unknown>[]> {
    return (await harness.modelServer.requests(key)).map(({ body }) => body);
  }

  describe('when a model refuses a parameter', () => {
    const cases: [keyof typeof parameters, ModelParameters, Record<string, unknown>, string[]][] = [
      ['OPENAI_MAX_TOKENS', { max_tokens: 32 }, { max_completion_tokens: 32 }, ['max_tokens']],
      ['OPENAI_TEMPERATURE', { temperature: 0.7, top_p: 0.9 }, { top_p: 0.9 }, ['temperature']],
      ['OPENAI_TOP_P', { top_p: 0.5 }, {}, ['top_p']],
      ['AZURE_STREAM_OPTIONS', { temperature: 0.5 }, { temperature: 0.5 }, ['stream_options']],
      ['AZURE_PENALTY', { presence_penalty: 1 }, {}, ['presence_penalty']],
      ['ANTHROPIC_TEMPERATURE', { temperature: 0.5 }, { max_tokens: 128_000 }, ['temperature']],
      ['ANTHROPIC_BOTH', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5 }, ['top_p']],
      ['ANTHROPIC_MAX_TOKENS', {}, { max_tokens: 64_000 }, []],
      ['OLLAMA_THINKING', { reasoning_effort: 'low' }, {}, ['reasoning_effort']],
      ['VLLM_MAX_TOKENS', { max_tokens: 9_000 }, { max_tokens: 4_000 }, []],
      ['GROQ_PENALTY', { frequency_penalty: 1 }, {}, ['frequency_penalty']],
      ['OPENROUTER_TOP_K', { top_k: 40, temperature: 1 }, { temperature: 1 }, ['top_k']],
      ['MISTRAL_MAX_COMPLETION_TOKENS', { max_completion_tokens: 64 }, { max_tokens: 64 }, ['max_completion_tokens']],
      ['XAI_PENALTY', { presence_penalty: 1 }, {}, ['presence_penalty']],
    ];

    it.each(cases)('retries once in the form that the model accepts (%s)', async (name, sent, expected, absent) => {
      const gateway = gatewayTo(name);
      const script = { refuses: [parameters[name]], times: undefined, steps: [{ text: 'fine' }] };
      const { result, listener, key } = await run(harness, gateway, [script], { request: { parameters: sent } });
      await result;
      expect(listener.text).toBe('fine');
      const [, second, ...further] = await bodies(key);
      expect(further).toEqual([]);
      expect(second).toMatchObject(expected);
      absent.forEach((parameter) => expect(second).not.toHaveProperty(parameter));
    });

    const picky = [parameters.OPENAI_MAX_TOKENS, parameters.OPENAI_TEMPERATURE, parameters.OPENAI_TOP_P];
    const request = { parameters: { temperature: 0.7, top_p: 0.9, max_tokens: 32 } };

    it('handles several refusals one after the other, and remembers all of them', async () => {
      const { knowledge, facts } = createKnowledge();
      const gateway = gatewayTo('OpenAI', { knowledge });
      const first = await run(harness, gateway, [{ refuses: picky, times: undefined }], { request });
      await first.result;
      expect(await first.requestCount()).toBe(4);
      const second = await run(harness, gateway, [{ refuses: picky, times: undefined }], { request });
      await second.result;
      expect(await bodies(second.key)).toMatchObject([{ max_completion_tokens: 32 }]);
      expect(facts.map(({ parameter }) => parameter).sort()).toEqual(['max_tokens', 'temperature', 'top_p']);
    });

    it('applies stored knowledge after a restart, for that model and that address only', async () => {
      const { knowledge, facts } = createKnowledge();
      const options = { request };
      await (
        await run(harness, gatewayTo('OpenAI', { knowledge }), [{ refuses: picky, times: undefined }], options)
      ).result;
      const restarted = createKnowledge(facts).knowledge;
      const again = await run(harness, gatewayTo('OpenAI', { knowledge: restarted }), [{ refuses: picky }], options);
      await again.result;
      expect(await again.requestCount()).toBe(1);
      const other = await run(harness, gatewayTo('OpenAI', { knowledge: restarted }), [{}], {
        request: { ...request, model: 'another' },
      });
      await other.result;
      expect(await bodies(other.key)).toMatchObject([{ temperature: 0.7, max_tokens: 32 }]);
      const moved = harness.adapter('openai-compatible', { LLM_BASE_URL: `${harness.modelServer.openAiUrl}/` });
      const elsewhere = await run(
        harness,
        createGateway(harness, { providers: [moved], knowledge: restarted }),
        [{}],
        options,
      );
      await elsewhere.result;
      expect(await bodies(elsewhere.key)).toMatchObject([{ temperature: 0.7 }]);
    });

    it("forgets a provider's refusals after the provider was changed", async () => {
      const { knowledge, facts } = createKnowledge();
      const gateway = gatewayTo('OpenAI', { knowledge });
      await (
        await run(harness, gateway, [{ refuses: picky, times: undefined }], { request })
      ).result;
      knowledge.forget('openai-compatible');
      expect(facts).toEqual([]);
      const { result, key } = await run(harness, gateway, [{}], { request });
      await result;
      expect(await bodies(key)).toMatchObject([{ temperature: 0.7 }]);
    });

    it('answers many first messages at once', async () => {
      const gateway = gatewayTo('OpenAI');
      const script = { refuses: picky, times: undefined, steps: [{ text: 'fine' }] };
      const runs = await Promise.all(Array.from({ length: 20 }, () => run(harness, gateway, [script], { request })));
      await Promise.all(runs.map(({ result }) => result));
      expect(new Set(runs.map(({ listener }) => listener.text))).toEqual(new Set(['fine']));
    });

    it('learns nothing from a change that did not help', async () => {
      const { knowledge, facts } = createKnowledge();
      const gateway = gatewayTo('OpenAI', { knowledge });
      const stubborn: ModelRefusal = refusal({ containing: '' }, 400, {
        error: { message: 'Unsupported parameter', code: 'unsupported_parameter', param: 'temperature' },
      });
      const { result, requestCount } = await run(harness, gateway, [{ refuses: [stubborn], times: undefined }], {
        request: { parameters: { temperature: 1 } },
      });
      const error = await rejectionOf(result);
      expect(error).toBeInstanceOf(ProviderError);
      expect(error).toMatchObject({ retryable: false });
      expect(await requestCount()).toBe(2);
      expect(facts).toEqual([]);
    });

    it('counts neither as a failure of the provider nor as a retry', async () => {
      const gateway = gatewayTo('OpenAI', { settings: { breakerThreshold: 2 } });
      const unavailable = { status: 500 };
      const { result, requestCount } = await run(
        harness,
        gateway,
        [unavailable, { refuses: picky, times: 3 }, unavailable, { refuses: picky }],
        { request },
      );
      await result;
      expect(await requestCount()).toBe(6);
    });
  });

  describe('when a provider refuses a text', () => {
    it.each(Object.entries(CONTENT_REFUSALS))('reports it, and calls no other model (%s)', async (provider, refuse) => {
      const { result, requestCount } = await run(harness, gatewayTo(provider), [{ refuses: [refuse('')] }], {
        request: { fallbackModels: ['second'] },
      });
      const error = await rejectionOf(result);
      expect(error).toBeInstanceOf(ContentRefusedError);
      expect(error).toMatchObject({ status: 422, retryable: false });
      expect(await requestCount()).toBe(1);
    });

    it('ends a reply that has started', async () => {
      const error = { code: 'data_inspection_failed', message: 'Output data may contain inappropriate content.' };
      const script = { steps: [{ text: 'half' }, { error }], unfinished: true as const };
      const { result, listener } = await run(harness, gatewayTo('OpenAI'), [script]);
      expect(await result).toMatchObject({ finishReason: 'content_filter' });
      expect(listener.text).toBe('half');
    });
  });

  describe('when a prompt is too long', () => {
    const sentence = 'What do you think about the old days and the new ones? ';

    function conversation(key: string): ModelMessage[] {
      const turns = Array.from({ length: 20 }, (_value, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: `${index} ${sentence.repeat(5)}`,
      }));
      return [{ role: 'system', content: 'Be kind.' }, ...turns, { role: 'user', content: key }];
    }

    async function ask(gateway: ReturnType<typeof createGateway>, refuse: ModelRefusal): Promise<[string, string]> {
      const key = `key ${Math.random()}`;
      await harness.modelServer.script({ key, refuses: [refuse], steps: [{ text: 'fine' }] });
      const listener = new RecordingListener();
      const request = generationFor(key, { messages: conversation(key) });
      await gateway.generate(request, listener, new AbortController().signal);
      return [key, listener.text];
    }

    it.each(Object.entries(LENGTH_REFUSALS))('retries once with less of it (%s)', async (provider, refuse) => {
      const gateway = gatewayTo(provider);
      const [key, text] = await ask(gateway, refuse(3_200));
      expect(text).toBe('fine');
      const requests = await harness.modelServer.requests(key);
      expect(requests).toHaveLength(2);
      const messages = requests[1]?.body.messages.filter(({ role }) => role !== 'system') ?? [];
      expect(messages.length).toBeGreaterThan(2);
      expect(messages[0]?.role).toBe('user');
      expect(messages.at(-1)?.content).toBe(key);
      expect(JSON.stringify(requests[1]?.body)).toContain('Be kind.');
      const known = gateway.contextTokens({ provider: null, model: null });
      expect(known).toBeGreaterThan(700);
      expect(known).toBeLessThan(1_400);
      expect(gateway.contextTokens({}, 500)).toBe(500);
      const [second] = await ask(gateway, refuse(3_200));
      expect(await harness.modelServer.requests(second)).toHaveLength(1);
    });

    it('sends only the message if even less history is too much', async () => {
      const [key] = await ask(gatewayTo('Groq'), (LENGTH_REFUSALS.Groq as (characters: number) => ModelRefusal)(60));
      const sent = (await bodies(key)).map(({ messages }) => (messages as unknown[]).length);
      expect(sent).toEqual([22, expect.any(Number), 2]);
    });

    it.each(Object.entries(LENGTH_REFUSALS))(
      'fails if the message alone is too long (%s)',
      async (provider, refuse) => {
        const { result, requestCount } = await run(harness, gatewayTo(provider), [{ refuses: [refuse(0)] }]);
        const error = await rejectionOf(result);
        expect(error).toBeInstanceOf(ContextTooLongError);
        expect(error).toMatchObject({ details: { field: 'content', reason: 'too_long' }, retryable: false });
        expect(await requestCount()).toBe(1);
      },
    );
  });
});
