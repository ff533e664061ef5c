import { ProviderTimeoutError } from '../../src/integrations/llm/port/llm.errors';
import { createGateway, ENDED, FakeProvider, run } from './llm-gateway.harness';
import { AdapterHarness, rejectionOf } from './llm-provider.harness';

describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  describe('limits time', () => {
    it('to the first token, without a retry', async () => {
      const gateway = createGateway(harness, { config: { LLM_FIRST_TOKEN_TIMEOUT: 0.2 } });
      const { result, key, requestCount } = await run(harness, gateway, [{ hang: true }, {}]);
      const error = await rejectionOf(result);
      expect(error).toBeInstanceOf(ProviderTimeoutError);
      expect(error).toMatchObject({ details: { phase: 'first_token', limit_seconds: 0.2 } });
      await harness.modelServer.waitFor('aborted', { key });
      expect(await requestCount()).toBe(1);
    });

    it('to the first token, and then calls the fallback model', async () => {
      const gateway = createGateway(harness, { config: { LLM_FIRST_TOKEN_TIMEOUT: 0.2 } });
      const { result } = await run(harness, gateway, [{ hang: true }], { request: { fallbackModels: ['demo:demo'] } });
      expect(await result).toMatchObject({ provider: 'demo' });
    });

    it('to the first token even if the server sends comments', async () => {
      const gateway = createGateway(harness, { config: { LLM_FIRST_TOKEN_TIMEOUT: 0.2 } });
      const comments = Array.from({ length: 20 }, () => [{ comment: 'wait' }, { delay: 50 }]).flat();
      const { result } = await run(harness, gateway, [{ steps: comments }]);
      expect(await rejectionOf(result)).toMatchObject({ details: { phase: 'first_token' } });
    });

    it('between two tokens', async () => {
      const gateway = createGateway(harness, { config: { LLM_IDLE_TIMEOUT: 0.2 } });
      const { result, listener, key } = await run(harness, gateway, [{ steps: [{ text: 'a' }, { stall: true }] }]);
      expect(await rejectionOf(result)).toMatchObject({ details: { phase: 'idle' }, retryable: true });
      expect(listener.text).toBe('a');
      await harness.modelServer.waitFor('aborted', { key });
    });

    describe('with a clock that the test moves', () => {
      const limits = { LLM_FIRST_TOKEN_TIMEOUT: 0.2, LLM_IDLE_TIMEOUT: 0.2 };
      const nearlyTheLimit = 190;

      beforeEach(() => {
        jest.useFakeTimers();
      });

      afterEach(() => {
        jest.useRealTimers();
      });

      it('between two tokens, restarted by each token', async () => {
        const slow = new FakeProvider(async (listener) => {
          for (let token = 0; token < 8; token++) {
            await jest.advanceTimersByTimeAsync(nearlyTheLimit);
            listener.onText('a');
          }
          return ENDED;
        });
        const gateway = createGateway(harness, { providers: [slow], config: limits });
        const { result, listener } = await run(harness, gateway, []);
        await result;
        expect(listener.text).toBe('aaaaaaaa');
      });

      it('counts reasoning as tokens', async () => {
        const thoughtful = new FakeProvider(async (listener) => {
          for (let thought = 0; thought < 6; thought++) {
            await jest.advanceTimersByTimeAsync(nearlyTheLimit);
            listener.onActivity?.();
          }
          listener.onText('done');
          return ENDED;
        });
        const gateway = createGateway(harness, { providers: [thoughtful], config: limits });
        const { result, listener } = await run(harness, gateway, []);
        await result;
        expect(listener.text).toBe('done');
      });
    });

    it('of the whole reply, as set by an agent', async () => {
      const steps = [{ repeat: { text: 'a', count: 1_000, delay: 20 } }];
      const { result, key } = await run(harness, createGateway(harness), [{ steps }], {
        request: { timeoutSeconds: 0.3, fallbackModels: ['second'] },
      });
      expect(await rejectionOf(result)).toMatchObject({ details: { phase: 'total', limit_seconds: 0.3 } });
      await harness.modelServer.waitFor('aborted', { key });
    });

    it('of the whole reply over all its attempts', async () => {
      const { result } = await run(harness, createGateway(harness), [{ status: 500 }, { hang: true }], {
        request: { timeoutSeconds: 0.5 },
      });
      expect(await rejectionOf(result)).toMatchObject({ details: { phase: 'total' } });
    });
  });
});
