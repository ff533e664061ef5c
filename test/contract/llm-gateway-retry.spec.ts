import { ProviderError, ProviderUnavailableError } from '../../src/integrations/llm/port/llm.errors';
import { ResilienceSettings } from '../../src/integrations/llm/providers/resilience';
import type { ModelScript } from '../support/model-server/model-server';
import { createGateway, run } from './llm-gateway.harness';
import { AdapterHarness, rejectionOf } from './llm-provider.harness';

describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  const reply: ModelScript = { steps: [{ text: 'fine' }] };

  describe('before the first token', () => {
    it.each([
      ['a cut connection', { cut: true }],
      ['408', { status: 408 }],
      ['429', { status: 429 }],
      ['500', { status: 500 }],
      ['503', { status: 503 }],
      ['an error in the stream', { steps: [{ error: { type: 'server_error' } }] }],
    ] as [string, ModelScript][])('retries twice after %s', async (_case, failure) => {
      const { result, listener, requestCount } = await run(harness, createGateway(harness), [failure, failure, reply]);
      expect(await result).toMatchObject({ provider: 'openai-compatible', model: 'test-model', finishReason: 'stop' });
      expect(listener.text).toBe('fine');
      expect(await requestCount()).toBe(3);
    });

    it('reports when a model is called, and when it has failed', async () => {
      const { result, listener } = await run(harness, createGateway(harness), [{ status: 500 }, reply]);
      await result;
      expect(listener.attempts).toEqual(['asked', 'failed', 'asked']);
    });

    it('does not report a failure when the caller aborts with enough text', async () => {
      const abort = new AbortController();
      const { result, listener, key } = await run(harness, createGateway(harness), [{ hang: true }], {
        signal: abort.signal,
      });
      await harness.modelServer.waitFor('received', { key });
      abort.abort();
      await rejectionOf(result);
      expect(listener.attempts).toEqual(['asked']);
    });

    it('stops after the third failure', async () => {
      const failures = Array.from({ length: 4 }, () => ({ status: 500 }));
      const { result, requestCount } = await run(harness, createGateway(harness), failures);
      expect(await rejectionOf(result)).toBeInstanceOf(ProviderError);
      expect(await requestCount()).toBe(3);
    });

    it.each([400, 401, 403, 404, 307])('does not retry after %d', async (status) => {
      const { result, requestCount } = await run(harness, createGateway(harness), [{ status }, reply]);
      expect(await rejectionOf(result)).toBeInstanceOf(ProviderError);
      expect(await requestCount()).toBe(1);
    });

    it('waits as long as the provider requests', async () => {
      const failure = { status: 429, headers: { 'retry-after': '1' } };
      const { result, key } = await run(harness, createGateway(harness), [failure, reply]);
      await result;
      const [first, second] = await harness.modelServer.requests(key);
      expect((second?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBeGreaterThanOrEqual(990);
    });

    it('does not wait when the provider requests a long pause, and reports the pause', async () => {
      const failure = { status: 429, headers: { 'retry-after': '60' } };
      const { result, requestCount } = await run(harness, createGateway(harness), [failure, reply]);
      const error = await rejectionOf(result);
      expect(error).toBeInstanceOf(ProviderUnavailableError);
      expect(error).toMatchObject({ retryAfterSeconds: 60 });
      expect(await requestCount()).toBe(1);
    });

    it('waits about half a second and two seconds by default', async () => {
      expect(new ResilienceSettings()).toMatchObject({ retryDelays: [500, 2_000], retryJitter: 0.2 });
      const gateway = createGateway(harness, { settings: { retryDelays: [100, 400] } });
      const { result, key } = await run(harness, gateway, [{ status: 500 }, { status: 500 }, reply]);
      await result;
      const [first = 0, second = 0, third = 0] = (await harness.modelServer.requests(key)).map(
        (each) => each.startedAt,
      );
      // Timers may be slightly early.
      expect(second - first).toBeGreaterThanOrEqual(75);
      expect(third - second).toBeGreaterThanOrEqual(315);
    });
  });

  describe('with fallback models', () => {
    const failures: ModelScript[] = [{ status: 500 }, { status: 500 }, { status: 500 }];

    it('calls the next model of the same provider once the first has failed', async () => {
      const { result, key } = await run(harness, createGateway(harness), [...failures, reply], {
        request: { model: 'first', fallbackModels: ['llama3:8b'] },
      });
      expect(await result).toMatchObject({ provider: 'openai-compatible', model: 'llama3:8b' });
      const models = (await harness.modelServer.requests(key)).map(({ body }) => body.model);
      expect(models).toEqual(['first', 'first', 'first', 'llama3:8b']);
    });

    it.each([['demo:demo'], [{ provider: 'demo', model: null }]])(
      'calls another provider, named %j',
      async (fallback) => {
        const { result, listener, key } = await run(harness, createGateway(harness), [{ status: 401 }], {
          request: { fallbackModels: [fallback] },
        });
        expect(await result).toMatchObject({ provider: 'demo', model: 'demo' });
        expect(listener.text).toContain(key);
      },
    );

    it('skips a model whose provider is not configured', async () => {
      const { result } = await run(harness, createGateway(harness), [{ status: 401 }, reply], {
        request: { fallbackModels: [{ provider: 'nobody', model: 'x' }, 'second'] },
      });
      expect(await result).toMatchObject({ model: 'second' });
    });

    it("fails with the first model's error when all fail", async () => {
      const { result } = await run(harness, createGateway(harness), [{ status: 401 }, { status: 403 }], {
        request: { fallbackModels: ['second'] },
      });
      expect(await rejectionOf(result)).toMatchObject({ providerStatus: 401 });
    });
  });

  describe('after the first token', () => {
    it.each([
      ['a cut connection', { cut: true }],
      ['an error in the stream', { error: { code: 503 } }],
      ['a malformed event and no end', { event: '{' }],
    ] as const)('never retries nor falls back after %s', async (_case, failure) => {
      const broken: ModelScript = { steps: [{ text: 'half' }, failure], unfinished: true };
      const { result, listener, requestCount } = await run(harness, createGateway(harness), [broken, reply], {
        request: { fallbackModels: ['second', 'demo:demo'] },
      });
      expect(await rejectionOf(result)).toMatchObject({ retryable: true });
      expect(listener.text).toBe('half');
      expect(await requestCount()).toBe(1);
    });

    it('never retries when the listener fails', async () => {
      const failure = new Error('the listener failed');
      const { result, requestCount } = await run(harness, createGateway(harness), [reply, reply], {
        onFirstText: () => {
          throw failure;
        },
        request: { fallbackModels: ['second'] },
      });
      expect(await rejectionOf(result)).toBe(failure);
      expect(await requestCount()).toBe(1);
    });
  });
});
