import { randomUUID } from 'node:crypto';
import { ProviderError } from '../../src/integrations/llm/llm.errors';
import type { CallShape, ModelScript, ModelStep } from '../support/model-server/model-server';
import { AdapterHarness, CallListener, NETWORK_ADAPTERS, rejectionOf, requestFor } from './llm-provider.harness';

const CITY = '{"city": "Zürich 😀", "days": [1, 2]}';
const WEATHER: ModelStep = { toolCall: { id: 'call_a', name: 'get_weather', arguments: CITY } };
const TIME: ModelStep = { toolCall: { id: 'call_b', name: 'get_time', arguments: '{"zone":"CET"}' } };

/** Calls of functions, as every adapter passes them on. */
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

  it('tells of a call as it arrives, before the reply has ended', async () => {
    const key = randomUUID();
    const begun: ModelStep = { toolCall: { name: 'f', arguments: '{"a"' } };
    await harness.modelServer.script({ key, steps: [begun, { hold: key }, { toolArguments: ':1}' }] });
    class Opening extends CallListener {
      override onToolArguments(index: number, text: string): void {
        super.onToolArguments(index, text);
        void harness.modelServer.release(key);
      }
    }
    const listener = new Opening();
    await harness.adapter(name).complete(requestFor(key), listener, new AbortController().signal);
    expect(listener.calls).toMatchObject([{ name: 'f', arguments: '{"a":1}' }]);
  });

  it('gives a function without arguments an empty object', async () => {
    const shapes = name === 'anthropic' ? '{}' : '';
    const call = { toolCall: { id: 'call_a', name: 'now', arguments: shapes } };
    const { listener } = await callsIn({ steps: [call, WEATHER] });
    expect(listener.calls[0]).toEqual({ id: 'call_a', name: 'now', arguments: '{}' });
  });

  it('makes no empty object of arguments that were cut', async () => {
    const call = { toolCall: { name: 'now', arguments: name === 'anthropic' ? '{}' : '' } };
    const { listener, result } = await callsIn({ steps: [call], finish: 'length' });
    expect([listener.calls[0]?.arguments, result.finishReason]).toEqual(['', 'length']);
  });

  it('leaves arguments as the model wrote them, malformed or not', async () => {
    const { listener } = await callsIn({ steps: [{ toolCall: { name: 'f', arguments: '{"a": oops' } }] });
    expect(listener.calls[0]?.arguments).toBe('{"a": oops');
  });

  it('replaces what databases cannot store, and joins halves of characters', async () => {
    const steps: ModelStep[] = [
      { toolCall: { name: 'f\0', arguments: '"a\ud83d' } },
      { toolArguments: '\ude00\0' },
      { toolArguments: '\ud83d' },
    ];
    const { listener } = await callsIn({ steps });
    expect(listener.calls).toMatchObject([{ name: 'f\ufffd', arguments: '"a😀\ufffd\ufffd' }]);
  });

  it('gives a call its own id where two have the same, or one is absurdly long', async () => {
    const steps = ['same', 'same', 'x'.repeat(5_000)].map((id) => ({ toolCall: { id, name: 'f' } }));
    const { listener } = await callsIn({ steps });
    const ids = listener.calls.map(({ id }) => id);
    expect(ids).toEqual(['same', expect.stringMatching(/^call_\w{32}$/), expect.stringMatching(/^call_\w{32}$/)]);
    expect(new Set(ids).size).toBe(3);
  });

  it('says that it was for calls even if the server says stop', async () => {
    const { result } = await callsIn({ steps: [WEATHER], finish: 'stop' });
    expect(result.finishReason).toBe('tool_calls');
  });

  it('ends like any reply when it wants calls and has none', async () => {
    const { result } = await callsIn({ steps: [{ text: 'Hi' }], finish: 'tool_calls' });
    expect(result.finishReason).toBe('stop');
  });

  it('passes on no white space before a call, and text that looked like a tag', async () => {
    const blank = await callsIn({ steps: [{ text: '\n\n' }, WEATHER] });
    expect(blank.listener.texts).toEqual([]);
    const tag = await callsIn({ steps: [{ text: '<th' }, WEATHER] });
    expect(tag.listener.texts).toEqual(['<th']);
  });

  it('fails when the stream breaks off within arguments, after what there was', async () => {
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

  it('reads calls that come whole', async () => {
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

describe('the openai-compatible adapter', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  const expected = [
    { name: 'get_weather', arguments: '{"city":"Paris"}' },
    { name: 'get_time', arguments: '{"zone":"CET"}' },
  ];

  function inShape(shape: CallShape): ModelStep[] {
    return expected.map((call) => ({ toolCall: { ...call, shape } }));
  }

  it.each<CallShape>([
    'pieces',
    'whole',
    'whole-no-index',
    'object',
    'no-index',
    'repeating',
    'empty-fields',
    'split-name',
    'no-id',
  ])('reads calls as servers send them (%s)', async (shape) => {
    const { listener, result } = await harness.complete(
      'openai-compatible',
      { steps: inShape(shape) },
      {},
      new CallListener(),
    );
    expect(listener.calls).toMatchObject(expected);
    const ids = listener.calls.map(({ id }) => id);
    expect(ids).toEqual(shape === 'no-id' ? [expect.any(String), expect.any(String)] : ['call_1', 'call_2']);
    expect(ids).not.toContain('');
    expect(result.finishReason).toBe('tool_calls');
  });

  it('reads the former form of a call, which has no id', async () => {
    const steps = inShape('function_call').slice(0, 1);
    const script = { steps, finish: 'function_call' };
    const { listener, result } = await harness.complete('openai-compatible', script, {}, new CallListener());
    expect(listener.calls).toEqual([{ id: expect.stringMatching(/^call_/), ...expected[0] }]);
    expect(result.finishReason).toBe('tool_calls');
  });

  function delta(...tool_calls: object[]): ModelStep {
    return { event: { choices: [{ index: 0, delta: { tool_calls } }] } };
  }

  it.each<[string, ModelStep[]]>([
    [
      'gives every call the number 0',
      expected.map((called, index) => delta({ index: 0, id: `id${index}`, function: called })),
    ],
    [
      'sends all calls in one chunk',
      [delta(...expected.map((called, index) => ({ id: `id${index}`, function: called })))],
    ],
    ['gives neither number nor id', expected.map((called) => delta({ function: called }))],
    [
      'mixes the pieces of its calls',
      [
        delta({ index: 0, id: 'a', function: { name: 'get_weather', arguments: '{"city"' } }),
        delta({ index: 1, id: 'b', function: { name: 'get_time', arguments: '{"zone"' } }),
        delta({ index: 0, function: { arguments: ':"Paris"}' } }, { index: 1, function: { arguments: ':"CET"}' } }),
      ],
    ],
    [
      'gives every piece another id',
      [
        delta({ index: 0, id: 'a', function: { name: 'get_weather', arguments: '' } }),
        delta({ index: 0, id: 'b', function: { arguments: '{"city":"Paris"}' } }),
        delta({ index: 1, id: 'c', function: { name: 'get_time', arguments: '' } }),
        delta({ index: 1, id: 'd', function: { arguments: '{"zone":"CET"}' } }),
      ],
    ],
    [
      'repeats the name as it grows',
      [
        delta({ index: 0, id: 'a', function: { name: 'get_' } }),
        delta({ index: 0, function: { name: 'get_weather' } }),
        delta({ index: 0, function: { arguments: '{"city":"Paris"}' } }),
        delta({ index: 1, id: 'b', function: expected[1] }),
      ],
    ],
  ])('reads calls of a server that %s', async (_case, steps) => {
    const script = { steps, finish: 'stop' };
    const { listener } = await harness.complete('openai-compatible', script, {}, new CallListener());
    expect(listener.calls).toMatchObject(expected);
  });

  it('fails with arguments that belong to no function', async () => {
    const script = { steps: [delta({ index: 0, id: 'a', function: { arguments: '{}' } })] };
    const error = await rejectionOf(harness.complete('openai-compatible', script, {}, new CallListener()));
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false });
  });
});
