import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ModelProviderError,
  ProviderError,
  ProviderUnavailableError,
} from '../../src/integrations/llm/port/llm.errors';
import type { ModelScript } from '../support/model-server/model-server';
import {
  AdapterHarness,
  API_KEY,
  NETWORK_ADAPTERS,
  RecordingListener,
  rejectionOf,
  requestFor,
} from './llm-provider.harness';

const LEAKY = 'internal detail of the provider';

/** Every failure of a provider becomes one of our errors, without the provider's message. */
describe.each(NETWORK_ADAPTERS)('a failing provider behind %s', (name) => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  async function failureOf(script: ModelScript): Promise<ModelProviderError> {
    const error = await rejectionOf(harness.complete(name, script));
    expect(error).toBeInstanceOf(ModelProviderError);
    const failure = error as ModelProviderError;
    expect(`${failure.message}${JSON.stringify(failure.details)}`).not.toContain(LEAKY);
    return failure;
  }

  it.each([
    [400, 502, false],
    [401, 502, false],
    [403, 502, false],
    [404, 502, false],
    [408, 502, true],
    [429, 503, true],
    [500, 502, true],
    [502, 502, true],
    [503, 503, true],
    [529, 503, true],
  ])('its status %d becomes our %d', async (status, ours, retryable) => {
    const failure = await failureOf({ status, body: JSON.stringify({ error: { message: LEAKY } }) });
    expect(failure.status).toBe(ours);
    expect(failure).toMatchObject({ retryable, providerStatus: status });
    expect(String((failure.cause as Error).message)).toContain(LEAKY);
  });

  it('our key does not reach the log when the provider repeats it', async () => {
    const failure = await failureOf({ status: 401, body: `Wrong key: ${API_KEY}` });
    expect((failure.cause as Error).message).toContain('Wrong key: [key]');
  });

  it.each<[string, ModelScript]>([
    ['a failure', { status: 500, body: API_KEY.repeat(200) }],
    ['an error in the stream', { steps: [{ text: 'a' }, { error: { type: 'odd', message: API_KEY.repeat(200) } }] }],
  ])('no part of our key does either if %s is truncated', async (_what, script) => {
    const { message } = (await failureOf(script)).cause as Error;
    expect(message).toContain('[key]');
    expect(message).not.toContain('secret');
  });

  it.each(['constructor', '__proto__', 'of_its_own'])('an error in the stream may have the name %s', async (type) => {
    const { providerStatus } = await failureOf({ steps: [{ text: 'a' }, { error: { type, message: LEAKY } }] });
    expect([null, 500]).toContain(providerStatus);
  });

  it('its Retry-After is passed on with its 429', async () => {
    const failure = await failureOf({ status: 429, headers: { 'retry-after': '17' } });
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure.retryAfterSeconds).toBe(17);
  });

  it.each([
    ['an HTML page with status 200', { headers: { 'content-type': 'text/html' }, body: `<html>${LEAKY}</html>` }],
    ['a JSON object with status 200', { headers: { 'content-type': 'application/json' }, body: `{"x":"${LEAKY}"}` }],
    ['an empty answer', { body: '' }],
    ['text that is no event stream', { body: LEAKY }],
    ['an end without a finish reason', { steps: [{ text: 'a' }], unfinished: true }],
    ['an error in the stream', { steps: [{ text: 'a' }, { error: { type: 'api_error', message: LEAKY } }] }],
    ['a connection cut in the middle', { steps: [{ text: 'a' }, { cut: true }] }],
    ['an endless event', { steps: [{ raw: `data: ${'x'.repeat(8_100_000)}` }, { stall: true }] }],
    ['a failure whose text never ends', { status: 500, body: 'x'.repeat(100_000) }],
  ] as [string, ModelScript][])('%s is PROVIDER_ERROR', async (_case, script) => {
    const failure = await failureOf(script);
    expect(failure).toBeInstanceOf(ProviderError);
  });

  it('a connection cut before the answer is PROVIDER_UNAVAILABLE', async () => {
    expect(await failureOf({ cut: true })).toBeInstanceOf(ProviderUnavailableError);
  });

  it.each([
    ['its status 429', { status: 429 }],
    ['its status 503', { status: 503 }],
    ['its status 529', { status: 529 }],
    ['a connection cut before the answer', { cut: true }],
  ] as [string, ModelScript][])('%s includes a retry time, though the provider sends none', async (_case, script) => {
    expect((await failureOf(script)).retryAfterSeconds).toBe(5);
  });

  it('a server that does not listen is PROVIDER_UNAVAILABLE', async () => {
    const adapter = harness.adapter(name, { LLM_BASE_URL: 'http://127.0.0.1:9' });
    const promise = adapter.complete(requestFor('hi'), new RecordingListener(), new AbortController().signal);
    expect(await rejectionOf(promise)).toBeInstanceOf(ProviderUnavailableError);
  });

  it('overload reported in the stream is PROVIDER_UNAVAILABLE', async () => {
    const error = name === 'anthropic' ? { type: 'overloaded_error' } : { code: 503 };
    expect(await failureOf({ steps: [{ error }] })).toBeInstanceOf(ProviderUnavailableError);
  });

  it('output before the failure has been passed on', async () => {
    const key = randomUUID();
    await harness.modelServer.script({ key, steps: [{ text: 'first' }, { text: ' second' }, { cut: true }] });
    const listener = new RecordingListener();
    await rejectionOf(harness.adapter(name).complete(requestFor(key), listener, new AbortController().signal));
    expect(listener.text).toBe('first second');
  });

  describe('that redirects', () => {
    let elsewhere: Server;
    const received: string[] = [];

    beforeAll(async () => {
      elsewhere = createServer((request, response) => {
        received.push(request.url ?? '');
        response.end();
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    });

    afterAll(() => new Promise((resolve) => elsewhere.close(resolve)));

    it.each([301, 302, 307, 308])('with %d is PROVIDER_ERROR, and our key is not sent on', async (status) => {
      const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
      const failure = await failureOf({ status, headers: { location } });
      expect(failure).toBeInstanceOf(ProviderError);
      expect(failure).toMatchObject({ retryable: false, providerStatus: status });
      expect(received).toEqual([]);
    });
  });
});
