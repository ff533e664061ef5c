import type { ProviderUsage } from '../port/called-model';
import type { CompletionResult } from '../port/language-model-provider';
import { AnthropicReader } from './anthropic-reader';
import { usageIn } from './openai-compatible-reader';

/** `[prompt, completion, cached, written, reasoning]` */
type Counts = [number, number, number, number, number];

const toCounts = (usage: ProviderUsage | null): Counts | null =>
  usage && [
    usage.prompt_tokens,
    usage.completion_tokens,
    usage.cached_tokens,
    usage.cache_write_tokens,
    usage.reasoning_tokens,
  ];

describe('provider token counts in our units', () => {
  it.each<[string, object, Counts | null]>([
    [
      'OpenAI: cached in the prompt, reasoning in the completion',
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 50,
          total_tokens: 150,
          prompt_tokens_details: { cached_tokens: 40 },
          completion_tokens_details: { reasoning_tokens: 20 },
        },
      },
      [100, 50, 40, 0, 20],
    ],
    [
      'xAI: reasoning in addition to the completion',
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 50,
          total_tokens: 170,
          prompt_tokens_details: { cached_tokens: 40 },
          completion_tokens_details: { reasoning_tokens: 20 },
        },
      },
      [100, 70, 40, 0, 20],
    ],
    [
      'DeepSeek: hits and misses',
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          total_tokens: 105,
          prompt_cache_hit_tokens: 64,
          prompt_cache_miss_tokens: 36,
        },
      },
      [100, 5, 64, 0, 0],
    ],
    [
      'Moonshot: cached in addition to the others, the usage in the choice',
      { choices: [{ usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, cached_tokens: 30 } }] },
      [100, 5, 30, 0, 0],
    ],
    [
      'Groq: in a separate member',
      { x_groq: { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } } },
      [9, 3, 0, 0, 0],
    ],
    [
      'OpenRouter: what was written into the cache, in the prompt',
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          total_tokens: 105,
          prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 60 },
        },
      },
      [100, 5, 10, 60, 0],
    ],
    [
      'a gateway to Anthropic: the cache in addition to the prompt, as its total shows',
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          total_tokens: 175,
          cache_read_input_tokens: 10,
          cache_creation_input_tokens: 60,
        },
      },
      [170, 5, 10, 60, 0],
    ],
    [
      'another one, as a cache shows that is larger than the prompt',
      { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cache_read_input_tokens: 900 } },
      [910, 5, 900, 0, 0],
    ],
    [
      'cache and reasoning both in addition',
      {
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          total_tokens: 195,
          prompt_tokens_details: { cached_tokens: 80 },
          completion_tokens_details: { reasoning_tokens: 10 },
        },
      },
      [180, 15, 80, 0, 10],
    ],
    [
      'llama.cpp: new tokens in addition to cached ones',
      { timings: { prompt_n: 7, cache_n: 93, predicted_n: 4 } },
      [100, 4, 93, 0, 0],
    ],
    ['one that counts nothing', { choices: [] }, null],
    ['one that counts less than nothing', { usage: { prompt_tokens: -1, completion_tokens: 2 } }, null],
  ])('%s', (_provider, chunk, expected) => {
    const { choices = [] } = chunk as { choices?: object[] };
    expect(toCounts(usageIn({ ...chunk }, { ...choices[0] }))).toEqual(expected);
  });

  it.each<[string, object[], Counts | null]>([
    [
      'Anthropic: cache in addition to the input, thinking in the output',
      [
        { input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: 60, output_tokens: 1 },
        { output_tokens: 50, output_tokens_details: { thinking_tokens: 20 } },
      ],
      [100, 50, 30, 60, 20],
    ],
    ['Anthropic, cut after its start', [{ input_tokens: 10, cache_read_input_tokens: 30 }], [40, 0, 30, 0, 0]],
    [
      'a server in its format that counts at the end alone',
      [
        { input_tokens: 0, output_tokens: 0 },
        { input_tokens: 52, output_tokens: 9 },
      ],
      [52, 9, 0, 0, 0],
    ],
    [
      'one that counts the input only at the start, and then sends zero',
      [
        { input_tokens: 52, cache_read_input_tokens: 30, output_tokens: 1 },
        { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 },
      ],
      [82, 9, 30, 0, 0],
    ],
  ])('%s', (_provider, [atStart, atEnd], expected) => {
    const reported: (ProviderUsage | null)[] = [];
    const reader = new AnthropicReader({ onText: () => undefined, onUsage: (usage) => reported.push(usage) }, 'm');
    const event = (data: object): void =>
      reader.onEvent({ id: undefined, event: undefined, data: JSON.stringify(data) });
    event({ type: 'message_start', message: { usage: atStart } });
    if (atEnd !== undefined) {
      event({ type: 'message_delta', delta: {}, usage: atEnd });
      const { usage }: CompletionResult = reader.result;
      expect(toCounts(usage)).toEqual(expected);
    }
    expect(toCounts(reported.at(-1) ?? null)).toEqual(expected);
  });
});
