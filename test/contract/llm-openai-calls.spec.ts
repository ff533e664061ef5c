import type { CallShape, ModelStep } from '../support/model-server/model-server';
import { AdapterHarness, CallListener, rejectionOf } from './llm-provider.harness';

/** The ways in which servers tell calls that call themselves OpenAI-compatible. */
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
