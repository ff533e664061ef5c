import { randomInt } from 'node:crypto';
import { ModelProviderError, ProviderError } from '../../src/integrations/llm/port/llm.errors';
import { AdapterHarness, CallListener, RecordingListener, rejectionOf, requestFor } from './llm-provider.harness';
import { ANTHROPIC } from './recordings/anthropic';
import { CALLS } from './recordings/calls';
import { CHINESE } from './recordings/chinese';
import { HOSTED } from './recordings/hosted';
import { LOCAL } from './recordings/local';
import { chunks, DONE, events, type Recording } from './recordings/recording';

/** Repeat a failed run with `RECORDING_SEED=…`, which the failure shows. */
const SEED = Number(process.env.RECORDING_SEED ?? randomInt(1, 1_000_000));

/** Numbers from 0 to `limit`, the same for the same seed (Lehmer). */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

describe('a network adapter', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  /** Streams as real providers send them, split at any position. */
  describe.each(Object.entries({ ...HOSTED, ...CHINESE, ...LOCAL, ...ANTHROPIC, ...CALLS }))(
    'a stream from %s',
    (name, recording) => {
      const next = randomNumbers(SEED + name.length);
      const length = Buffer.byteLength(recording.stream);

      it.each([
        ['whole', (): number[] => []],
        ['byte by byte', (): number[] => Array.from({ length }, (_value, index) => index)],
        ['cut at random places', (): number[] => Array.from({ length: 25 }, () => next(length))],
      ])('is read %s', async (_case, cuts) => {
        const steps = [{ pieces: { text: recording.stream, cuts: cuts() } }];
        const script = { bare: true, steps, unfinished: true } as const;
        const { listener, result } = await harness.complete(recording.adapter, script, {}, new CallListener());
        const { text, reasoning, calls } = listener;
        expect({ SEED, text, reasoning, calls, result }).toEqual({
          SEED,
          text: recording.text,
          reasoning: recording.reasoning,
          calls: recording.calls ?? [],
          result: recording.result,
        });
        expect(listener.texts.concat(listener.reasonings)).not.toContain('');
      });

      it('that breaks off in the middle has passed on the text so far, and fails', async () => {
        // At a position before the end of the reply is reported.
        const end = recording.stream.search(/"(?:finish_reason|stop_reason)":"/);
        const part = recording.stream.slice(0, 1 + next(end - 1));
        const key = `${name} ${part.length}`;
        await harness.modelServer.script({ key, bare: true, steps: [{ raw: part }, { cut: true }] });
        const listener = new CallListener();
        const completion = harness
          .adapter(recording.adapter)
          .complete(requestFor(key), listener, new AbortController().signal);
        const error = await rejectionOf(completion);
        expect(error).toBeInstanceOf(ModelProviderError);
        expect({ SEED, retryable: (error as ModelProviderError).retryable }).toEqual({ SEED, retryable: true });
        expect(recording.text.startsWith(listener.text)).toBe(true);
        expect(recording.reasoning.startsWith(listener.reasoning)).toBe(true);
        listener.calls.forEach((call, index) => {
          const whole = recording.calls?.[index];
          expect(whole).toMatchObject({ id: call.id, name: call.name });
          expect(whole?.arguments.startsWith(call.arguments)).toBe(true);
        });
      });
    },
  );

  describe('a stream with an error', () => {
    const text = chunks({}, { delta: { content: 'Half' }, finish_reason: null });
    const anthropicText = `data: ${JSON.stringify({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Half' } })}\n\n`;
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const unpaid = { type: 'error', error: { type: 'billing_error', message: 'Check your payment details' } };

    it.each<[string, Recording['adapter'], string, object]>([
      [
        'of OpenRouter',
        'openai-compatible',
        events({
          id: 'gen-1',
          error: { code: 502, message: 'Provider disconnected unexpectedly' },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        }) + DONE,
        { status: 502, retryable: true },
      ],
      [
        'of OpenAI',
        'openai-compatible',
        events({ error: { message: 'The server had an error', type: 'server_error', param: null, code: null } }),
        { status: 502, retryable: true },
      ],
      [
        'of vLLM',
        'openai-compatible',
        events({ error: { message: 'bad', type: 'BadRequestError', param: null, code: 400 } }) + DONE,
        { status: 502, retryable: false },
      ],
      [
        'of Groq',
        'openai-compatible',
        `event: error\n${events({ error: { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' } })}`,
        { status: 503, retryable: true },
      ],
      [
        'of DeepSeek, as a finish reason',
        'openai-compatible',
        chunks({}, { delta: {}, finish_reason: 'insufficient_system_resource' }) + DONE,
        { status: 502, retryable: true },
      ],
      ['of Anthropic', 'anthropic', `event: error\n${events(overloaded)}`, { status: 503, retryable: true }],
      [
        'from Anthropic, for an unpaid account',
        'anthropic',
        `event: error\n${events(unpaid)}`,
        { status: 502, retryable: false },
      ],
    ])('%s fails, after the text so far', async (_case, adapter, error, expected) => {
      const key = `error ${error.length}`;
      const before = adapter === 'anthropic' ? anthropicText : text;
      await harness.modelServer.script({ key, bare: true, steps: [{ raw: before + error }], unfinished: true });
      const listener = new RecordingListener();
      const completion = harness.adapter(adapter).complete(requestFor(key), listener, new AbortController().signal);
      const failure = await rejectionOf(completion);
      expect(failure).toBeInstanceOf(ModelProviderError);
      expect(failure).toMatchObject(expected);
      expect(listener.text).toBe('Half');
    });

    it.each<[string, string[], string, string]>([
      ['never ends', ['<think>', 'and so on', ' </thin'], 'and so on </thin', ''],
      ['is empty', ['<think>\n\n</think>\n\n', 'Hi'], '\n\n', 'Hi'],
      ['starts after white space', ['\n ', ' <think>a</think> b'], 'a', 'b'],
      ['is none', ['<thinking> is what', ' I do'], '', '<thinking> is what I do'],
      ['may still come', ['  <thi'], '', '  <thi'],
    ])('with reasoning that %s is read', async (_case, contents, reasoning, reply) => {
      const { listener } = await harness.complete('openai-compatible', {
        steps: contents.map((each) => ({ text: each })),
      });
      expect([listener.reasoning, listener.text]).toEqual([reasoning, reply]);
    });

    it('with only the old form of a tool call fails', async () => {
      const steps = [{ event: { choices: [{ delta: { function_call: { name: 'f', arguments: '{}' } } }] } }];
      const error = await rejectionOf(harness.complete('openai-compatible', { steps, finish: 'function_call' }));
      expect(error).toBeInstanceOf(ProviderError);
      expect(error).toMatchObject({ details: { reason: 'tool_call' }, retryable: false });
    });
  });
});
