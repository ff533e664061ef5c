import type { CallShape, ModelStep } from '../support/model-server/model-server';
import { AdapterHarness, CallListener, rejectionOf } from './llm-provider.harness';

/** The call formats of servers that claim to be OpenAI-compatible. */
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

  it('reads the legacy form of a call, which has no id', async () => {
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
    ['gives every call the number 0 and no id', expected.map((called) => delta({ index: 0, function: called }))],
    [
      'starts two calls at index 0, without ids',
      expected.flatMap(({ name, arguments: text }) => [
        delta({ index: 0, function: { name, arguments: '' } }),
        delta({ index: 0, function: { arguments: text.slice(0, 5) } }),
        delta({ index: 0, function: { arguments: text.slice(5) } }),
      ]),
    ],
    [
      'repeats the name with every piece, without ids',
      expected.flatMap(({ name, arguments: text }, index) => [
        delta({ index, function: { name, arguments: text.slice(0, 5) } }),
        delta({ index, function: { name, arguments: text.slice(5) } }),
      ]),
    ],
    [
      'gives the arguments another number than the name',
      [
        delta({ index: 0, id: 'a', function: { name: 'get_weather' } }),
        delta({ index: 1, function: { arguments: '{"city":' } }),
        delta({ index: 1, function: { arguments: '"Paris"}' } }),
        delta({ index: 2, id: 'b', function: { name: 'get_time' } }),
        delta({ index: 3, function: { arguments: '{"zone":"CET"}' } }),
      ],
    ],
    [
      'numbers every piece',
      [
        delta({ index: 0, function: { name: 'get_weather' } }, { index: 1, function: { arguments: '{"city":' } }),
        delta({ index: 2, function: { arguments: '"Paris"}' } }, { index: 3, function: { name: 'get_time' } }),
        delta({ index: 4, function: { arguments: '{"zone":"CET"}' } }),
      ],
    ],
    [
      'sends the arguments before the name',
      [
        delta({ index: 0, function: { arguments: '{"city":' } }),
        delta({ index: 0, id: 'a', function: { arguments: '"Paris"}' } }),
        delta({ index: 0, function: { name: 'get_weather' } }),
        delta({ index: 1, function: { arguments: '{"zone":"CET"}' } }),
        delta({ index: 1, function: { name: 'get_time' } }),
      ],
    ],
    [
      'names calls by their ids alone, in any order',
      [
        delta({ id: 'a', function: { name: 'get_weather', arguments: '{"city"' } }),
        delta({ id: 'b', function: { name: 'get_time', arguments: '{"zone"' } }),
        delta({ id: 'a', function: { arguments: ':"Paris"}' } }),
        delta({ id: 'b', function: { arguments: ':"CET"}' } }),
      ],
    ],
    [
      'repeats each call at its end',
      expected.flatMap((called, index) => [
        delta({ index, id: `id${index}`, function: { name: called.name, arguments: called.arguments.slice(0, 5) } }),
        delta({ index, id: `id${index}`, function: { arguments: called.arguments.slice(5) } }),
        delta({ index, id: `id${index}`, function: called }),
        delta({ index, id: `id${index}`, function: { name: called.name, arguments: '' } }),
      ]),
    ],
    ['gives two calls one id', expected.map((called, index) => delta({ index, id: 'a', function: called }))],
    ['gives all calls one id and one number', expected.map((called) => delta({ index: 0, id: 'a', function: called }))],
  ])('reads calls from a server that %s', async (_case, steps) => {
    const script = { steps, finish: 'stop' };
    const { listener } = await harness.complete('openai-compatible', script, {}, new CallListener());
    expect(listener.calls).toMatchObject(expected);
  });

  it('reads two calls of one function at one index, with texts that look like ends', async () => {
    const texts = ['{"x":"}\\"{","y":[{}]}', '{"x":2}'];
    const steps = texts.flatMap((text) => [
      delta({ index: 0, function: { name: 'f', arguments: text.slice(0, 6) } }),
      delta({ index: 0, function: { arguments: text.slice(6) } }),
    ]);
    const { listener } = await harness.complete('openai-compatible', { steps }, {}, new CallListener());
    expect(listener.calls.map((call) => call.arguments)).toEqual(texts);
  });

  it('fails with arguments that belong to no function', async () => {
    const script = { steps: [delta({ index: 0, id: 'a', function: { arguments: '{}' } })] };
    const error = await rejectionOf(harness.complete('openai-compatible', script, {}, new CallListener()));
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false });
  });
});
