import { randomUUID } from 'node:crypto';
import { ProviderError, ProviderUnavailableError } from '../../src/integrations/llm/port/llm.errors';
import type { ModelScript } from '../support/model-server/model-server';
import { createGateway, run } from './llm-gateway.harness';
import { AdapterHarness, NETWORK_ADAPTERS, RecordingListener, rejectionOf, requestFor } from './llm-provider.harness';

const DONE = 'data: [DONE]\n\n';

/** Errors that servers write into a stream that started with HTTP 200. */
const ERRORS: Record<string, string> = {
  'an object of its own kind': 'data: {"object":"error","message":"dead","code":500}\n\n',
  'a text': 'data: {"error":"dead"}\n\n',
  'an object': 'data: {"error":{"message":"dead"}}\n\n',
  'a detail': 'data: {"detail":"dead"}\n\n',
  'a list of details': 'data: {"detail":[{"loc":["body"],"msg":"dead"}]}\n\n',
  'a status and a message': 'data: {"status":500,"message":"dead"}\n\n',
  'an event with a message': 'event: error\ndata: {"message":"dead"}\n\n',
  'an event with a detail': 'event: error\ndata: {"detail":"dead"}\n\n',
  'an event with words': 'event: error\ndata: dead\n\n',
};

describe.each(NETWORK_ADAPTERS)('a stream behind %s', (name) => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  async function failureOf(script: ModelScript): Promise<{ failure: unknown; text: string; isTaken: () => boolean }> {
    const key = randomUUID();
    await harness.modelServer.script({ key, bare: true, unfinished: true, ...script });
    const onAnswered = jest.fn();
    const listener = Object.assign(new RecordingListener(), { onAnswered });
    const reply = harness.adapter(name).complete(requestFor(key), listener, new AbortController().signal);
    const failure = await rejectionOf(reply);
    return { failure, text: listener.text, isTaken: () => onAnswered.mock.calls.length > 0 };
  }

  function saying(text: string): string {
    const event =
      name === 'anthropic'
        ? { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
        : { choices: [{ index: 0, delta: { content: text } }] };
    return `data: ${JSON.stringify(event)}\n\n`;
  }

  describe.each(Object.entries(ERRORS))('with an error that is %s', (_form, error) => {
    it.each(['', saying('two words')])('fails, and may be retried (after %j)', async (before) => {
      const { failure, text } = await failureOf({ steps: [{ raw: before + error + DONE }] });
      expect(failure).toBeInstanceOf(ProviderError);
      expect(failure).toMatchObject({ retryable: true });
      expect(((failure as Error).cause as Error).message).toContain('dead');
      expect(text).toBe(before === '' ? '' : 'two words');
    });
  });

  it('uses the number in an error as its status', async () => {
    const raw = 'data: {"object":"error","message":"slow down","code":429}\n\n';
    const { failure } = await failureOf({ steps: [{ raw }] });
    expect(failure).toBeInstanceOf(ProviderUnavailableError);
    expect(failure).toMatchObject({ providerStatus: 429 });
  });

  it.each([
    ['[DONE] alone', DONE],
    ['words that are no event', 'data: Internal Server Error\n\n'],
    ['a number of tokens', `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0}}\n\n${DONE}`],
    ['an empty message', `data: {"type":"message_stop"}\n\n${DONE}`],
  ])('is not a reply when it has only %s', async (_what, raw) => {
    const { failure } = await failureOf({ steps: [{ raw }] });
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ retryable: true });
  });

  describe('that is JSON', () => {
    const headers = { 'content-type': 'application/json', 'retry-after': '17' };

    it.each<[string, object, object]>([
      ['429', { code: 429 }, { code: 'PROVIDER_UNAVAILABLE', retryable: true, retryAfterSeconds: 17 }],
      ['401', { code: 401 }, { code: 'PROVIDER_ERROR', retryable: false, isOutage: false }],
      ['500', { status: 500 }, { code: 'PROVIDER_ERROR', retryable: true, isOutage: true }],
      ['503', { code: '503' }, { code: 'PROVIDER_UNAVAILABLE', retryable: true, isOutage: true }],
    ])('fails like HTTP status %s, which its error names', async (status, error, expected) => {
      const body = JSON.stringify({ error: { message: 'Try later.', ...error }, user_id: 'u' });
      const { failure, isTaken } = await failureOf({ headers, body });
      expect(failure).toMatchObject({ providerStatus: Number(status), ...expected });
      expect(isTaken()).toBe(false);
    });

    it('fails, and may be retried, if its error has no number', async () => {
      const { failure } = await failureOf({ headers, body: '{"error":{"message":"dead","code":null}}' });
      expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true, providerStatus: null });
    });

    it.each(['{"x":1}', '[]', '{"error'])('fails when it is nothing else (%s)', async (body) => {
      const { failure } = await failureOf({ headers, body });
      expect(failure).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false });
      expect(((failure as Error).cause as Error).message).toContain(body);
    });
  });
});

describe('LanguageModels', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  const HELLO: ModelScript = { steps: [{ text: 'Hello' }] };
  const dead: ModelScript = { steps: [{ raw: Object.values(ERRORS)[0] + DONE }], bare: true, unfinished: true };

  it.each<[string, ModelScript]>([
    ['an error', dead],
    ['nothing but its end', { ...dead, steps: [{ raw: DONE }] }],
    ['a JSON error', { headers: { 'content-type': 'application/json' }, body: '{"error":{"code":429}}' }],
  ])('retries if a stream has %s before the first token', async (_what, script) => {
    const { result, listener, requestCount } = await run(harness, createGateway(harness), [script, HELLO]);
    await result;
    expect(listener.text).toBe('Hello');
    expect(await requestCount()).toBe(2);
  });

  it('calls another model if that does not help', async () => {
    const request = { fallbackModels: ['demo:demo'] };
    const { result } = await run(harness, createGateway(harness), [{ ...dead, times: 3 }], { request });
    expect(await result).toMatchObject({ provider: 'demo' });
  });

  it('sends no other request after the first token', async () => {
    const script: ModelScript = { steps: [{ text: 'two words' }, { raw: Object.values(ERRORS)[0] + DONE }] };
    const { result, listener, requestCount } = await run(harness, createGateway(harness), [script, HELLO]);
    expect(await rejectionOf(result)).toMatchObject({ code: 'PROVIDER_ERROR' });
    expect([listener.text, await requestCount()]).toEqual(['two words', 1]);
  });
});
