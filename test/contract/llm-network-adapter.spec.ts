import { randomUUID } from 'node:crypto';
import { ContentRefusedError, ProviderError } from '../../src/integrations/llm/port/llm.errors';
import { TOOL_CALL_ONLY } from '../support/model-server/refusals/tool-calls';
import {
  AdapterHarness,
  API_KEY,
  NETWORK_ADAPTERS,
  RecordingListener,
  rejectionOf,
  requestFor,
} from './llm-provider.harness';

/** The wire format, and every form of a valid answer. */
describe.each(NETWORK_ADAPTERS)('the %s adapter', (name) => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  it('passes on each token as it arrives, before the end of the reply', async () => {
    const key = randomUUID();
    await harness.modelServer.script({ key, steps: [{ text: 'one' }, { hold: key }, { text: ' two' }] });
    const listener = new RecordingListener(() => void harness.modelServer.release(key));
    await harness.adapter(name).complete(requestFor(key), listener, new AbortController().signal);
    expect(listener.texts).toEqual(['one', ' two']);
  });

  it('joins characters whose bytes arrive one by one', async () => {
    const text = 'Grüße, 世界 👩‍👩‍👧 𝒳!';
    const { listener } = await harness.complete(name, { steps: [{ text }], pieceSize: 1 });
    expect(listener.text).toBe(text);
  });

  it('never splits a surrogate pair, even when the server does', async () => {
    const { listener } = await harness.complete(name, { steps: [{ text: 'a\ud83d' }, { text: '\ude00b' }] });
    expect(listener.texts).toEqual(['a', '😀b']);
  });

  it('replaces half a surrogate pair whose other half never arrives', async () => {
    const { listener } = await harness.complete(name, { steps: [{ text: 'a\ud83d' }] });
    expect(listener.text).toBe('a\ufffd');
  });

  it('replaces NUL, at which databases would truncate the text', async () => {
    const { listener } = await harness.complete(name, { steps: [{ text: 'before\0' }, { text: '\0after' }] });
    expect(listener.text).toBe('before\ufffd\ufffdafter');
  });

  it('reads CRLF line ends and comments', async () => {
    const steps = [{ comment: 'keep-alive' }, { text: 'a' }, { comment: '' }, { text: 'b' }];
    const { listener } = await harness.complete(name, { steps, crlf: true, pieceSize: 3 });
    expect(listener.text).toBe('ab');
  });

  it('keeps line breaks, quotes and markup in the text', async () => {
    const text = 'data: x\n\n"quoted" \\ <b>\r\n__TOKEN_USAGE__{}';
    const { listener } = await harness.complete(name, { steps: [{ text }] });
    expect(listener.text).toBe(text);
  });

  it('distinguishes reasoning from text', async () => {
    const { listener } = await harness.complete(name, {
      steps: [{ reasoning: 'hm\ud83d' }, { reasoning: '\ude00' }, { text: 'yes' }],
    });
    expect([listener.reasonings, listener.texts]).toEqual([['hm', '😀'], ['yes']]);
  });

  it('treats reasoning as a sign of life even if no caller reads it', async () => {
    const key = randomUUID();
    await harness.modelServer.script({ key, steps: [{ reasoning: 'hm' }, { text: 'yes' }] });
    let activities = 0;
    const listener = { onText: () => undefined, onActivity: () => void activities++ };
    await harness.adapter(name).complete(requestFor(key), listener, new AbortController().signal);
    expect(activities).toBe(1);
  });

  it('reports a reply that was truncated at its length limit', async () => {
    const { result } = await harness.complete(name, { steps: [{ text: 'a' }], finish: 'length' });
    expect(result.finishReason).toBe('length');
  });

  it('reports a filtered reply', async () => {
    const finish = name === 'anthropic' ? 'refusal' : 'content_filter';
    const { result } = await harness.complete(name, { steps: [{ text: 'a' }], finish });
    expect(result.finishReason).toBe('content_filter');
  });

  it('fails with a completely filtered reply', async () => {
    const finish = name === 'anthropic' ? 'refusal' : 'content_filter';
    const error = await rejectionOf(harness.complete(name, { finish }));
    expect(error).toBeInstanceOf(ContentRefusedError);
    expect(error).toMatchObject({ retryable: false });
  });

  it('fails with a reply that contains only a tool call', async () => {
    const { openai, anthropic } = TOOL_CALL_ONLY;
    const error = await rejectionOf(harness.complete(name, name === 'anthropic' ? anthropic : openai));
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ details: { reason: 'tool_call' }, retryable: false });
  });

  it('passes on the text before a tool call', async () => {
    const { openai, anthropic } = TOOL_CALL_ONLY;
    const { steps, finish } = name === 'anthropic' ? anthropic : openai;
    const { listener, result } = await harness.complete(name, { steps: [{ text: 'Let me see.' }, ...steps], finish });
    expect([listener.text, result.finishReason]).toEqual(['Let me see.', 'stop']);
  });

  it('sends requests in the form that the model is known to accept', async () => {
    const parameters = { temperature: 0.5, top_p: 0.9, max_tokens: 77 };
    const { key } = await harness.complete(
      name,
      {},
      {
        parameters,
        adjustments: { temperature: { leaveOut: true }, max_tokens: { atMost: 50 } },
      },
    );
    const [request] = await harness.modelServer.requests(key);
    expect(request?.body).toMatchObject({ top_p: 0.9, max_tokens: 50 });
    expect(request?.body).not.toHaveProperty('temperature');
  });

  it('treats absent usage as missing', async () => {
    const { result } = await harness.complete(name, { usage: null });
    expect(result.usage).toBeNull();
  });

  it.each([
    ['negative', -1, false],
    ['fractional', 1.5, false],
    ['absurd', 1e15, false],
    ['text', '7', false],
    ['zero', 0, true],
  ])('checks whether usage that is %s counts as missing', async (_kind, tokens, isValid) => {
    const usage =
      name === 'anthropic'
        ? { input_tokens: 3, output_tokens: tokens }
        : { prompt_tokens: 3, completion_tokens: tokens, total_tokens: 3 };
    const { result } = await harness.complete(name, { usage });
    expect(result.usage?.completion_tokens).toBe(isValid ? tokens : undefined);
  });

  it('includes cached tokens in the prompt', async () => {
    const usage =
      name === 'anthropic'
        ? { input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: 2, output_tokens: 5 }
        : {
            prompt_tokens: 42,
            completion_tokens: 5,
            prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 2 },
          };
    const { result } = await harness.complete(name, { usage });
    expect(result.usage).toEqual({
      prompt_tokens: 42,
      completion_tokens: 5,
      cached_tokens: 30,
      cache_write_tokens: 2,
      reasoning_tokens: 0,
    });
  });

  it('sends key, model, messages and settings', async () => {
    const { key } = await harness.complete(
      name,
      {},
      {
        model: 'another-model',
        messages: [{ role: 'system', content: 'Be kind.' }],
        parameters: { temperature: 0.5, top_p: 0.9, max_tokens: 77, stop: ['END'] },
      },
    );
    const [request] = await harness.modelServer.requests(key);
    expect(request?.headers).toMatchObject(
      name === 'anthropic'
        ? { 'x-api-key': API_KEY, 'anthropic-version': '2023-06-01' }
        : { authorization: `Bearer ${API_KEY}` },
    );
    const common = { model: 'another-model', stream: true, temperature: 0.5, top_p: 0.9, max_tokens: 77 };
    const user = { role: 'user', content: key };
    expect(request?.body).toEqual(
      name === 'anthropic'
        ? { ...common, stop_sequences: ['END'], system: 'Be kind.', messages: [user] }
        : {
            ...common,
            stop: ['END'],
            stream_options: { include_usage: true },
            messages: [{ role: 'system', content: 'Be kind.' }, user],
          },
    );
  });

  it('closes the connection when the signal aborts', async () => {
    const key = randomUUID();
    await harness.modelServer.script({ key, steps: [{ text: 'a' }, { stall: true }] });
    const controller = new AbortController();
    const listener = new RecordingListener(() => controller.abort());
    await expect(harness.adapter(name).complete(requestFor(key), listener, controller.signal)).rejects.toThrow();
    await harness.modelServer.waitFor('aborted', { key });
  });

  it('reuses its connections', async () => {
    const adapter = harness.adapter(name);
    const ports = new Set<unknown>();
    for (let round = 0; round < 3; round++) {
      const key = randomUUID();
      await adapter.complete(requestFor(key), new RecordingListener(), new AbortController().signal);
      const [request] = await harness.modelServer.waitFor('completed', { key });
      ports.add(request?.clientPort);
    }
    expect(ports.size).toBe(1);
  });
});
