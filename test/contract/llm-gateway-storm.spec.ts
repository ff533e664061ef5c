import type { LanguageModels } from '../../src/integrations/llm/language-models';
import type { CompletionResult } from '../../src/integrations/llm/port/language-model-provider';
import { ModelProviderError, ProviderUnavailableError } from '../../src/integrations/llm/port/llm.errors';
import { createGateway, FakeProvider, generationFor, run } from './llm-gateway.harness';
import { AdapterHarness, RecordingListener, rejectionOf } from './llm-provider.harness';

const REFUSED = { status: 429 };
const refusedFor = (seconds: number) => ({ status: 429, headers: { 'retry-after': String(seconds) } });

describe('LanguageModels with a provider that refuses every request', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  /** A gateway to a provider that refuses each request with 429, and the number of requests to it. */
  function refusing(settings = {}): { gateway: LanguageModels; asked: () => number } {
    let asked = 0;
    const refuse = (): Promise<CompletionResult> => {
      asked++;
      return Promise.reject(new ProviderUnavailableError({}, { providerStatus: 429, retryable: true }));
    };
    return {
      gateway: createGateway(harness, { providers: [new FakeProvider(refuse)], settings }),
      asked: () => asked,
    };
  }

  const storm = (gateway: LanguageModels, requests: number) =>
    Promise.all(
      Array.from({ length: requests }, (_, index) =>
        gateway
          .generate(generationFor(`storm-${index}`), new RecordingListener(), new AbortController().signal)
          .catch((error: unknown) => error),
      ),
    );

  it('retries at most a tenth of the requests, plus a few', async () => {
    const { gateway, asked } = refusing({ retriesPerSecond: 0 });
    const failures = await storm(gateway, 200);
    expect(failures.every((failure) => failure instanceof ModelProviderError)).toBe(true);
    expect(asked()).toBeGreaterThan(200);
    expect(asked()).toBeLessThanOrEqual(200 + 20 + 10);
  });

  it('retries again after a few quiet seconds', async () => {
    const { gateway, asked } = refusing({ retryReserve: 1, retryShare: 0, retriesPerSecond: 1_000 });
    await storm(gateway, 1);
    await storm(gateway, 1);
    expect(asked()).toBe(2 * 3);
  });

  it('does not call a model again before the time that it named, but calls another one', async () => {
    const gateway = createGateway(harness);
    const refused = await run(harness, gateway, [refusedFor(30)]);
    await rejectionOf(refused.result);
    const next = await run(harness, gateway, [{ steps: [{ text: 'fine' }] }]);
    const failure = await rejectionOf(next.result);
    expect(failure).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
    expect((failure as ProviderUnavailableError).retryAfterSeconds).toBeGreaterThan(25);
    expect(await next.requestCount()).toBe(0);
    const fallback = await run(harness, gateway, [{ steps: [{ text: 'fine' }] }], {
      request: { fallbackModels: ['another-model'] },
    });
    expect(await fallback.result).toMatchObject({ model: 'another-model' });
    expect(await fallback.requestCount()).toBe(1);
  });

  it('waits for a short Retry-After, and calls once more', async () => {
    const gateway = createGateway(harness);
    const refused = await run(harness, gateway, [refusedFor(1), { steps: [{ text: 'at last' }] }]);
    const { listener } = refused;
    while (!listener.attempts.includes('failed')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const others = await Promise.all(
      Array.from({ length: 5 }, () => run(harness, gateway, [{ steps: [{ text: 'fine' }] }])),
    );
    const began = performance.now();
    await Promise.all([refused, ...others].map(({ result }) => result));
    expect(performance.now() - began).toBeGreaterThan(500);
    expect(await Promise.all(others.map(({ requestCount }) => requestCount()))).toEqual([1, 1, 1, 1, 1]);
  });

  it('retries as usual without a Retry-After', async () => {
    const gateway = createGateway(harness);
    await rejectionOf((await run(harness, gateway, [REFUSED, REFUSED, REFUSED])).result);
    const next = await run(harness, gateway, [{ steps: [{ text: 'fine' }] }]);
    await next.result;
    expect(await next.requestCount()).toBe(1);
  });
});
