import { randomUUID } from 'node:crypto';
import { GenerationAbortedError } from '../../src/integrations/llm/port/llm.errors';
import { AdapterHarness, type AdapterName, RecordingListener, rejectionOf, requestFor } from './llm-provider.harness';

/** The contract of every adapter. A new adapter is added to this list. */
const ADAPTERS: AdapterName[] = ['demo', 'openai-compatible', 'anthropic'];

describe.each(ADAPTERS)('the %s provider', (name) => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  it('is configured, has a name and a default model', () => {
    expect(harness.adapter(name)).toMatchObject({ name, isConfigured: true, defaultModel: expect.any(String) });
  });

  it('reports unsupported input before any request', () => {
    const tool = { name: 'f', description: null, parameters: null, strict: null };
    const adapter = harness.adapter(name);
    expect(adapter.missingFeature(requestFor('Hi'))).toBeNull();
    const options = { tools: [tool], responseFormat: { type: 'json_object' } } as const;
    expect(adapter.missingFeature({ ...requestFor('Hi'), ...options })).toBe(
      name === 'demo' ? 'response_format' : null,
    );
  });

  it('streams a reply in several pieces, none of them empty', async () => {
    const listener = new RecordingListener();
    await harness.adapter(name).complete(requestFor(randomUUID()), listener, new AbortController().signal);
    expect(listener.texts.length).toBeGreaterThan(3);
    expect(listener.texts).not.toContain('');
  });

  it('reports how the reply ended, its model and its cost', async () => {
    const listener = new RecordingListener();
    const result = await harness
      .adapter(name)
      .complete(requestFor(randomUUID()), listener, new AbortController().signal);
    expect(result.finishReason).toBe('stop');
    expect(result.model).toMatch(/^(demo|test-model)$/);
    expect(result.usage).toEqual({
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
      cached_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    });
    expect(result.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(result.usage?.completion_tokens).toBeGreaterThan(0);
  });

  it('returns the same reply to the same conversation', async () => {
    const adapter = harness.adapter(name);
    const request = requestFor(randomUUID());
    const listeners = [new RecordingListener(), new RecordingListener()] as const;
    await adapter.complete(request, listeners[0], new AbortController().signal);
    await adapter.complete(request, listeners[1], new AbortController().signal);
    expect(listeners[0].text).toBe(listeners[1].text);
  });

  it('separates many concurrent replies', async () => {
    const adapter = harness.adapter(name);
    const replies = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const listener = new RecordingListener();
        const result = await adapter.complete(requestFor('hi'), listener, new AbortController().signal);
        return { text: listener.text, result };
      }),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  it('does nothing when the signal is aborted before the start', async () => {
    const listener = new RecordingListener();
    const promise = harness.adapter(name).complete(requestFor(randomUUID()), listener, AbortSignal.abort());
    expect(await rejectionOf(promise)).toBeInstanceOf(GenerationAbortedError);
    expect(listener.texts).toEqual([]);
  });

  it('stops in the middle of a reply when the signal aborts, and passes on nothing afterwards', async () => {
    const key = randomUUID();
    await harness.modelServer.script({ key, steps: [{ text: 'a' }, { repeat: { text: 'b', count: 1000, delay: 2 } }] });
    const controller = new AbortController();
    const listener = new RecordingListener(() => controller.abort());
    const error = await rejectionOf(harness.adapter(name).complete(requestFor(key), listener, controller.signal));
    expect(error).toBeInstanceOf(GenerationAbortedError);
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(listener.texts).toHaveLength(1);
  });

  it('is rejected with the error of its listener', async () => {
    const failure = new Error('the listener failed');
    const listener = {
      onText: () => {
        throw failure;
      },
    };
    const promise = harness.adapter(name).complete(requestFor(randomUUID()), listener, new AbortController().signal);
    expect(await rejectionOf(promise)).toBe(failure);
  });
});
