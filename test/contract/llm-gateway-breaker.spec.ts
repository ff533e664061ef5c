import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { LanguageModels } from '../../src/integrations/llm/language-models';
import { ProviderUnavailableError } from '../../src/integrations/llm/port/llm.errors';
import { eventually } from '../support/eventually';
import type { ModelScript } from '../support/model-server/model-server';
import { createGateway, run } from './llm-gateway.harness';
import { AdapterHarness, rejectionOf } from './llm-provider.harness';

describe('the circuit breaker of a provider', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  const settings = { retryDelays: [], breakerThreshold: 3, breakerPause: 100 };

  function circuitOf(gateway: LanguageModels): string | undefined {
    return gateway.describe().find(({ provider }) => provider === 'openai-compatible')?.circuit;
  }

  async function failTimes(gateway: LanguageModels, times: number, status = 500): Promise<void> {
    for (let round = 0; round < times; round++) {
      const { result } = await run(harness, gateway, [{ status }]);
      await rejectionOf(result);
    }
  }

  it('does not call a dead provider, and reports the retry time', async () => {
    const gateway = createGateway(harness, { settings: { ...settings, breakerPause: 60_000 } });
    await failTimes(gateway, 3);
    expect(circuitOf(gateway)).toBe('open');
    const { result, requestCount } = await run(harness, gateway, [{}]);
    const error = await rejectionOf(result);
    expect(error).toBeInstanceOf(ProviderUnavailableError);
    expect(error).toMatchObject({ retryAfterSeconds: 60, retryable: true });
    expect(await requestCount()).toBe(0);
  });

  it('calls a fallback at another provider while it is open', async () => {
    const gateway = createGateway(harness, { settings: { ...settings, breakerPause: 60_000 } });
    await failTimes(gateway, 3);
    const { result } = await run(harness, gateway, [], { request: { fallbackModels: ['demo:demo'] } });
    expect(await result).toMatchObject({ provider: 'demo' });
  });

  it('lets one request through after the pause, and closes with its first token', async () => {
    const gateway = createGateway(harness, { settings });
    await failTimes(gateway, 3);
    // The pause ends without an event, so only the next request notices it. Timers may also be slightly early.
    await setTimeout(2 * settings.breakerPause);
    const gate = randomUUID();
    const held = { steps: [{ text: 'a' }, { hold: gate }] };
    const states: (string | undefined)[] = [];
    const { result } = await run(harness, gateway, [held], {
      onFirstText: () => {
        states.push(circuitOf(gateway));
        setImmediate(() => {
          states.push(circuitOf(gateway));
          void harness.modelServer.release(gate);
        });
      },
    });
    await result;
    expect(states).toEqual(['half-open', 'closed']);
  });

  it.each<[string, ModelScript]>([
    ['401', { status: 401 }],
    ['404', { status: 404 }],
    ['408', { status: 408 }],
    ['429', { status: 429 }],
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['an answer without an end', { steps: [], unfinished: true }],
    ['nothing but a malformed event', { steps: [{ event: '{' }], unfinished: true }],
    ['an error in the stream', { steps: [{ error: { code: 500, type: 'api_error' } }] }],
    ['a cut in the stream', { steps: [{ cut: true }] }],
    ['a cut in the reply', { steps: [{ text: 'half' }, { cut: true }] }],
    ['reasoning that gets stuck', { steps: [{ reasoning: 'hm' }, { stall: true }] }],
  ])('does not open for %s, which a living provider answers', async (_case, script) => {
    const gateway = createGateway(harness, { settings, config: { LLM_IDLE_TIMEOUT: 0.05 } });
    for (let round = 0; round < 5; round++) {
      await rejectionOf((await run(harness, gateway, [script])).result);
    }
    expect(circuitOf(gateway)).toBe('closed');
  });

  it.each<[string, ModelScript]>([
    ['does not connect', { cut: true }],
    ['answers 500', { status: 500 }],
    ['answers 503', { status: 503 }],
    ['answers 529', { status: 529 }],
  ])('opens for a provider that %s', async (_case, script) => {
    const gateway = createGateway(harness, { settings });
    for (let round = 0; round < 3; round++) {
      await rejectionOf((await run(harness, gateway, [script])).result);
    }
    expect(circuitOf(gateway)).toBe('open');
  });

  it('stays closed for a dozen requests in a row that fail in all their attempts', async () => {
    const gateway = createGateway(harness, { settings: { retryDelays: [1, 1] } });
    for (let round = 0; round < 12; round++) {
      await rejectionOf((await run(harness, gateway, [{ status: 500, times: 3 }])).result);
    }
    expect(circuitOf(gateway)).toBe('closed');
  });

  it('resets its count with each answer of a working provider, including a refusal', async () => {
    const gateway = createGateway(harness, { settings });
    await failTimes(gateway, 2);
    await failTimes(gateway, 1, 401);
    await failTimes(gateway, 2);
    expect(circuitOf(gateway)).toBe('closed');
  });

  it('resets its count with each success', async () => {
    const gateway = createGateway(harness, { settings });
    await failTimes(gateway, 2);
    await (
      await run(harness, gateway, [{}])
    ).result;
    await failTimes(gateway, 2);
    expect(circuitOf(gateway)).toBe('closed');
  });

  it.each([
    ['the first token', { LLM_FIRST_TOKEN_TIMEOUT: 0.05 }],
    ['the whole reply', { LLM_TOTAL_TIMEOUT: 0.05 }],
  ])('opens for a provider that hangs until the limit for %s', async (_phase, config) => {
    const gateway = createGateway(harness, { settings, config });
    for (let round = 0; round < 3; round++) {
      await rejectionOf((await run(harness, gateway, [{ hang: true }])).result);
    }
    await eventually(() => circuitOf(gateway) === 'open');
  });

  it('is reported with the model and configuration of its provider', () => {
    const state = { isConfigured: true, circuit: 'closed', lastOutcome: null, isReachable: null, answeredAt: null };
    const host = new URL(harness.modelServer.openAiUrl).host;
    expect(createGateway(harness).describe()).toEqual([
      { ...state, provider: 'demo', kind: 'demo', host: null, model: 'demo' },
      { ...state, provider: 'openai-compatible', kind: 'openai-compatible', host, model: 'test-model' },
    ]);
  });
});
