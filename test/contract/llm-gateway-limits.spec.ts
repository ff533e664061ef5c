import { setImmediate as nextTurn } from 'node:timers/promises';
import { LONGEST_REPLY } from '../../src/integrations/llm/generation/provider-request';
import type { CompletionResult } from '../../src/integrations/llm/port/language-model-provider';
import { GenerationAbortedError, ProviderUnavailableError } from '../../src/integrations/llm/port/llm.errors';
import { createGateway, FakeProvider, run } from './llm-gateway.harness';
import { AdapterHarness, NETWORK_ADAPTERS, rejectionOf } from './llm-provider.harness';

describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  describe('with less time left than the pause that a provider requests', () => {
    const limited = { status: 429, headers: { 'retry-after': '9' } };

    it('does not wait, and passes the pause on', async () => {
      const { result, requestCount } = await run(harness, createGateway(harness), [limited, {}], {
        request: { timeoutSeconds: 12 },
      });
      const error = await rejectionOf(result);
      expect(error).toBeInstanceOf(ProviderUnavailableError);
      expect(error).toMatchObject({ retryAfterSeconds: 9 });
      expect(await requestCount()).toBe(1);
    });

    it('calls the fallback model immediately', async () => {
      const { result, key } = await run(harness, createGateway(harness), [limited, {}], {
        request: { timeoutSeconds: 12, fallbackModels: ['second'] },
      });
      expect(await result).toMatchObject({ model: 'second' });
      expect(await harness.modelServer.requests(key)).toHaveLength(2);
    });

    it('does so even if the fallback model uses all remaining time', async () => {
      let asked = 0;
      const limiting = new FakeProvider(() =>
        asked++ === 0
          ? Promise.reject(new ProviderUnavailableError({}, { retryable: true, retryAfterSeconds: 3 }))
          : new Promise(() => undefined),
      );
      const { result } = await run(harness, createGateway(harness, { providers: [limiting] }), [], {
        request: { timeoutSeconds: 0.2, fallbackModels: ['second'] },
      });
      expect(await rejectionOf(result)).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryAfterSeconds: 3 });
    });

    it('does not start its own pause either', async () => {
      const gateway = createGateway(harness, { settings: { retryDelays: [60_000] } });
      const { result } = await run(harness, gateway, [{ status: 500 }], { request: { timeoutSeconds: 60 } });
      expect(await rejectionOf(result)).toMatchObject({ code: 'PROVIDER_ERROR', providerStatus: 500 });
    });
  });

  describe('limits provider values, so that they can be stored', () => {
    const longName = `${'m'.repeat(189)}\0😀${'x'.repeat(5_000)}`;
    const stored = `${'m'.repeat(189)}\ufffd\ufffd`;
    const events = {
      anthropic: { type: 'message_start', message: { model: longName } },
      'openai-compatible': { model: longName, choices: [] },
    };

    it.each(NETWORK_ADAPTERS)('the name of the model (%s)', async (name) => {
      const gateway = createGateway(harness, { providers: [harness.adapter(name)] });
      const script = { steps: [{ text: 'Hi' }, { event: events[name] }], unfinished: true } as const;
      const end = name === 'anthropic' ? { type: 'message_stop' } : '[DONE]';
      const steps = [...script.steps, { event: end }];
      const { result } = await run(harness, gateway, [{ ...script, steps }], { request: { provider: name } });
      expect((await result).model).toBe(stored);
    });

    it.each([longName, ' padded\n', ' '])(
      'the name of the model, equal for the reply and for its cost (%#)',
      async (told) => {
        const answer: CompletionResult = { model: told, finishReason: 'stop', usage: null };
        const gateway = createGateway(harness, { providers: [new FakeProvider(() => Promise.resolve(answer))] });
        const { result, listener } = await run(harness, gateway, []);
        const { model } = await result;
        expect(listener.requests.map((asked) => asked.answered ?? asked.model)).toEqual([model]);
      },
    );

    it('an empty model name, an unknown finish reason, and impossible numbers', async () => {
      const usage = {
        prompt_tokens: 1,
        completion_tokens: -1,
        cached_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
      };
      const answer: CompletionResult = Object.assign({} as CompletionResult, {
        model: ' ',
        finishReason: 'tired',
        usage,
      });
      const gateway = createGateway(harness, { providers: [new FakeProvider(() => Promise.resolve(answer))] });
      const { result } = await run(harness, gateway, []);
      expect(await result).toMatchObject({ model: 'fake', finishReason: 'stop', usage: null });
    });

    it('the length of the reply, without splitting a character, and stops it there', async () => {
      const endless = new FakeProvider(async (listener, signal) => {
        listener.onText('a');
        while (!signal.aborted) {
          listener.onText('😀'.repeat(100_000));
          await nextTurn();
        }
        throw new GenerationAbortedError();
      });
      const { result, listener } = await run(harness, createGateway(harness, { providers: [endless] }), []);
      expect(await result).toMatchObject({ model: 'fake', finishReason: 'length', usage: null });
      expect(listener.text).toHaveLength(LONGEST_REPLY - 1);
      expect(listener.text.isWellFormed()).toBe(true);
    });
  });

  describe('when its caller aborts', () => {
    it('rejects immediately and closes the connection', async () => {
      const controller = new AbortController();
      const onFirstText = (): void => controller.abort();
      const script = { steps: [{ text: 'a' }, { stall: true as const }] };
      const { result, key } = await run(harness, createGateway(harness), [script], {
        signal: controller.signal,
        onFirstText,
      });
      expect(await rejectionOf(result)).toBeInstanceOf(GenerationAbortedError);
      await harness.modelServer.waitFor('aborted', { key });
    });

    it('rejects immediately while the provider is silent, and does not retry', async () => {
      const controller = new AbortController();
      const { result, key, requestCount } = await run(harness, createGateway(harness), [{ hang: true }], {
        signal: controller.signal,
        request: { fallbackModels: ['second'] },
      });
      await harness.modelServer.waitFor('received', { key });
      controller.abort();
      expect(await rejectionOf(result)).toBeInstanceOf(GenerationAbortedError);
      await harness.modelServer.waitFor('aborted', { key });
      expect(await requestCount()).toBe(1);
    });

    it('rejects immediately during the pause before a retry', async () => {
      const controller = new AbortController();
      const gateway = createGateway(harness, { settings: { retryDelays: [600_000] } });
      const { result, key, requestCount } = await run(harness, gateway, [{ status: 500 }], {
        signal: controller.signal,
        request: { timeoutSeconds: 86_400 },
      });
      await harness.modelServer.waitFor('completed', { key });
      controller.abort();
      expect(await rejectionOf(result)).toBeInstanceOf(GenerationAbortedError);
      expect(await requestCount()).toBe(1);
    });

    it('rejects immediately even if an adapter ignores the signal', async () => {
      const controller = new AbortController();
      const deaf = new FakeProvider(() => new Promise(() => undefined));
      const gateway = createGateway(harness, { providers: [deaf] });
      const { result } = await run(harness, gateway, [], { signal: controller.signal });
      controller.abort();
      expect(await rejectionOf(result)).toBeInstanceOf(GenerationAbortedError);
    });
  });

  it.each([
    ['unknown', { provider: 'nobody' }],
    ['not configured', { provider: 'anthropic' }],
  ])('answers PROVIDER_UNAVAILABLE for a provider that is %s', async (_case, request) => {
    const gateway = createGateway(harness, {
      providers: [harness.adapter('anthropic', { LLM_API_KEY: null })],
    });
    const { result } = await run(harness, gateway, [], { request });
    const error = await rejectionOf(result);
    expect(error).toBeInstanceOf(ProviderUnavailableError);
    expect(error).toMatchObject({ retryAfterSeconds: 60 });
  });
});
