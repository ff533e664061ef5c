import { randomUUID } from 'node:crypto';
import { ProviderError } from '../../src/integrations/llm/port/llm.errors';
import type { ModelScript, ModelStep } from '../support/model-server/model-server';
import { AdapterHarness, CallListener, NETWORK_ADAPTERS, rejectionOf, requestFor } from './llm-provider.harness';

const CITY = '{"city": "Zürich 😀", "days": [1, 2]}';
const WEATHER: ModelStep = { toolCall: { id: 'call_a', name: 'get_weather', arguments: CITY } };
const TIME: ModelStep = { toolCall: { id: 'call_b', name: 'get_time', arguments: '{"zone":"CET"}' } };

/** Function calls, as every adapter passes them on. */
describe.each(NETWORK_ADAPTERS)('the %s adapter', (name) => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  async function callsIn(script: ModelScript) {
    return await harness.complete(name, script, {}, new CallListener());
  }

  it('passes on a call, and its arguments piece by piece', async () => {
    const { listener, result } = await callsIn({ steps: [WEATHER] });
    expect(listener.calls).toEqual([{ id: 'call_a', name: 'get_weather', arguments: CITY }]);
    expect(listener.texts).toEqual([]);
    expect(result).toMatchObject({ finishReason: 'tool_calls', usage: { completion_tokens: 5 } });
  });

  it('passes on several calls, after text and reasoning', async () => {
    const { listener, result } = await callsIn({
      steps: [{ reasoning: 'Hm.' }, { text: 'Let me see.' }, WEATHER, TIME],
    });
    expect([listener.reasoning, listener.text]).toEqual(['Hm.', 'Let me see.']);
    expect(listener.calls).toEqual([
      { id: 'call_a', name: 'get_weather', arguments: CITY },
      { id: 'call_b', name: 'get_time', arguments: '{"zone":"CET"}' },
    ]);
    expect(result.finishReason).toBe('tool_calls');
  });

  it('passes on a call as it arrives, before the end of the reply', async () => {
    const key = randomUUID();
    const begun: ModelStep = { toolCall: { name: 'f', arguments: '{"a"' } };
    await harness.modelServer.script({ key, steps: [begun, { hold: key }, { toolArguments: ':1}' }] });
    const released: Promise<void>[] = [];
    class Opening extends CallListener {
      override onToolArguments(index: number, text: string): void {
        super.onToolArguments(index, text);
        released.push(harness.modelServer.release(key));
      }
    }
    const listener = new Opening();
    await harness.adapter(name).complete(requestFor(key), listener, new AbortController().signal);
    expect(listener.calls).toMatchObject([{ name: 'f', arguments: '{"a":1}' }]);
    // The server closes after the last test, which may be this one.
    await Promise.all(released);
  });

  it('passes an empty object to a function without arguments', async () => {
    const shapes = name === 'anthropic' ? '{}' : '';
    const call = { toolCall: { id: 'call_a', name: 'now', arguments: shapes } };
    const { listener } = await callsIn({ steps: [call, WEATHER] });
    expect(listener.calls[0]).toEqual({ id: 'call_a', name: 'now', arguments: '{}' });
  });

  it('ends the arguments of one call before the next starts', async () => {
    const told: string[] = [];
    class Ordered extends CallListener {
      override onToolCall(index: number, call: { id: string; name: string }): void {
        told.push(call.name);
        super.onToolCall(index, call);
      }
      override onToolArguments(index: number, piece: string): void {
        told.push(piece);
        super.onToolArguments(index, piece);
      }
    }
    const steps = ['one', 'two'].map((called) => ({ toolCall: { name: called, arguments: '{}' } }));
    await harness.complete(name, { steps }, {}, new Ordered());
    expect(told).toEqual(['one', '{}', 'two', '{}']);
  });

  it.each(['length', 'content_filter'] as const)(
    'creates no empty object from truncated arguments: %s',
    async (finish) => {
      const call = { toolCall: { name: 'now', arguments: name === 'anthropic' ? '{}' : '' } };
      const said = name === 'anthropic' && finish === 'content_filter' ? 'refusal' : finish;
      const { listener, result } = await callsIn({ steps: [call], finish: said });
      expect([listener.calls[0]?.arguments, result.finishReason]).toEqual(['', finish]);
    },
  );

  it('does not change arguments, malformed or not', async () => {
    const { listener } = await callsIn({ steps: [{ toolCall: { name: 'f', arguments: '{"a": oops' } }] });
    expect(listener.calls[0]?.arguments).toBe('{"a": oops');
  });

  it('replaces characters that databases cannot store, and joins surrogate halves', async () => {
    const steps: ModelStep[] = [
      { toolCall: { name: 'f\0', arguments: '"a\ud83d' } },
      { toolArguments: '\ude00\0' },
      { toolArguments: '\ud83d' },
    ];
    const { listener } = await callsIn({ steps });
    expect(listener.calls).toMatchObject([{ name: 'f\ufffd', arguments: '"a😀\ufffd\ufffd' }]);
  });

  it('assigns a new id to a call if two have the same, or one is extremely long', async () => {
    const steps = ['same', 'same', 'x'.repeat(5_000)].map((id) => ({ toolCall: { id, name: 'f' } }));
    const { listener } = await callsIn({ steps });
    const ids = listener.calls.map(({ id }) => id);
    expect(ids).toEqual(['same', expect.stringMatching(/^call_\w{32}$/), expect.stringMatching(/^call_\w{32}$/)]);
    expect(new Set(ids).size).toBe(3);
  });

  it('reports calls as the finish reason even if the server sends stop', async () => {
    const { result } = await callsIn({ steps: [WEATHER], finish: 'stop' });
    expect(result.finishReason).toBe('tool_calls');
  });

  it('finishes like any reply when the finish reason is calls and there are none', async () => {
    const { result } = await callsIn({ steps: [{ text: 'Hi' }], finish: 'tool_calls' });
    expect(result.finishReason).toBe('stop');
  });

  it('fails, but may be retried, when the finish reason is calls and there is neither a call nor text', async () => {
    const error = await rejectionOf(callsIn({ steps: [], finish: 'tool_calls' }));
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', details: {}, retryable: true });
  });

  it('passes on no white space before a call, and text that looked like a tag', async () => {
    const blank = await callsIn({ steps: [{ text: '\n\n' }, WEATHER] });
    expect(blank.listener.texts).toEqual([]);
    const tag = await callsIn({ steps: [{ text: '<th' }, WEATHER] });
    expect(tag.listener.texts).toEqual(['<th']);
  });

  it('fails when the stream breaks off within arguments, after passing on the rest', async () => {
    const key = randomUUID();
    const call: ModelStep = { toolCall: { name: 'f', arguments: '{"city' } };
    await harness.modelServer.script({ key, steps: [call, { cut: true }] });
    const listener = new CallListener();
    const reply = harness.adapter(name).complete(requestFor(key), listener, new AbortController().signal);
    const error = await rejectionOf(reply);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ retryable: true });
    expect(listener.calls).toMatchObject([{ name: 'f', arguments: '{"city' }]);
  });

  it('reads arguments whose index differs from that of their call', async () => {
    const moved =
      name === 'anthropic'
        ? { type: 'content_block_delta', index: 7, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } }
        : { choices: [{ delta: { tool_calls: [{ index: 7, function: { arguments: '{"a":1}' } }] } }] };
    const begun = { toolCall: { name: 'f', arguments: name === 'anthropic' ? '{}' : '' } };
    const { listener } = await callsIn({ steps: [begun, { event: moved }] });
    expect(listener.calls).toMatchObject([{ name: 'f', arguments: '{"a":1}' }]);
  });

  it('reads calls that arrive whole', async () => {
    const steps = [WEATHER, TIME].map(({ toolCall }: ModelStep & { toolCall?: object }) => ({
      toolCall: { ...toolCall, shape: 'whole' },
    })) as ModelStep[];
    const { listener } = await callsIn({ steps });
    expect(listener.calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([
      JSON.parse(CITY),
      { zone: 'CET' },
    ]);
  });
});
