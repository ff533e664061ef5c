import { ReplyCollector } from '../../src/integrations/llm/port/completion';
import { AdapterHarness, NETWORK_ADAPTERS, rejectionOf } from './llm-provider.harness';

/** Output in addition to the reply text: reasoning, images, token counts. */
describe('the openai-compatible adapter', () => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  async function replyTo(...deltas: object[]) {
    const steps = deltas.map((delta) => ({ event: { choices: [{ index: 0, delta }] } }));
    return await harness.complete('openai-compatible', { steps });
  }

  it.each<[string, object]>([
    ['an object with a text', { reasoning: { text: 'Hm.' } }],
    ['an object with content', { reasoning_content: { content: 'Hm.' } }],
    ['an object with a summary', { reasoning: { summary: [{ type: 'summary_text', text: 'Hm.' }] } }],
    ['a list of texts', { reasoning: ['H', 'm.'] }],
    ['a list of objects', { reasoning_content: [{ type: 'text', text: 'H' }, { text: 'm.' }, null, 7] }],
    ['a list of lists', { reasoning_details: [{ content: [{ text: 'Hm.' }] }] }],
    ['an object behind an empty text', { reasoning_content: '', reasoning: { text: 'Hm.' } }],
  ])('reads reasoning that is %s', async (_form, delta) => {
    const { listener } = await replyTo(delta, { content: 'yes' });
    expect([listener.reasoning, listener.text]).toEqual(['Hm.', 'yes']);
  });

  it('does not search deeply nested reasoning', async () => {
    let reasoning: object = { text: 'Hm.' };
    for (let depth = 0; depth < 50; depth++) {
      reasoning = { content: [reasoning] };
    }
    const { listener } = await replyTo({ reasoning }, { content: 'yes' });
    expect([listener.reasoning, listener.text]).toEqual(['', 'yes']);
  });

  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(3_000_000)}` } };

  it.each<[string, object]>([
    ['a separate member', { images: [image] }],
    ['a part of the content', { content: [image] }],
    ['sound', { audio: { data: 'AAAA' } }],
  ])('drops unrequested output (%s), and fails if there is nothing else', async (_form, delta) => {
    expect((await replyTo({ content: 'Here.' }, delta)).listener.text).toBe('Here.');
    expect(await rejectionOf(replyTo(delta))).toMatchObject({ code: 'PROVIDER_ERROR', retryable: false });
  });

  it.each([
    ['nothing', {}],
    ['zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['less', { prompt_tokens: 100, completion_tokens: 1 }],
  ])('keeps the larger of two counts, the second of which is %s', async (_what, usage) => {
    const counted = { prompt_tokens: 100, completion_tokens: 20 };
    const { result } = await harness.complete('openai-compatible', {
      steps: [{ text: 'a' }, { event: { choices: [], usage: counted } }],
      usage,
    });
    expect(result.usage).toMatchObject(counted);
  });

  it('uses the later of two counts if they are equal', async () => {
    const counted = { prompt_tokens: 100, completion_tokens: 20 };
    const { result } = await harness.complete('openai-compatible', {
      steps: [{ event: { choices: [], usage: counted } }],
      usage: { ...counted, prompt_tokens_details: { cached_tokens: 7 } },
    });
    expect(result.usage).toMatchObject({ ...counted, cached_tokens: 7 });
  });

  it('uses the larger count in one chunk', async () => {
    const chunk = { choices: [], usage: {}, x_groq: { usage: { prompt_tokens: 9, completion_tokens: 3 } } };
    const { result } = await harness.complete('openai-compatible', { steps: [{ event: chunk }], usage: null });
    expect(result.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 3 });
  });
});

describe.each(NETWORK_ADAPTERS)('reasoning with only an end tag, after %s', (name) => {
  let harness: AdapterHarness;

  beforeAll(async () => {
    harness = await AdapterHarness.start();
  });

  afterAll(() => harness.close());

  it.each<[string, string[], string, string]>([
    ['in one piece with the reply', ['Hm.\n</think>\n\nHi'], 'Hm.\n', 'Hi'],
    ['in one piece, as the first', ['Hm.</think>', 'Hi'], 'Hm.', 'Hi'],
    ['whose words are out already', ['Hm', '.\n</think>\n\n', 'Hi'], '', 'Hm.\n\n\nHi'],
    ['whose mark comes in pieces', ['Hm', '</', 'thi', 'nk', '>', 'Hi'], '', 'Hm\n\nHi'],
    ['that is empty', ['</think>\n', '\nHi'], '', 'Hi'],
    ['that is empty, in pieces', ['\n</th', 'ink>', 'Hi'], '', 'Hi'],
    [
      'that is none, because a mark before it belongs to the text',
      ['The tag <think>', ' ends with </think>.'],
      '',
      'The tag <think> ends with </think>.',
    ],
    [
      'that is none, because the mark is quoted',
      ['Write `', '</think>` at its end.</think>'],
      '',
      'Write `</think>` at its end.</think>',
    ],
    ['that is none, because it is another mark', ['a </', 'thinking> b <', ' c </t'], '', 'a </thinking> b < c </t'],
    ['after a whole one', ['<think>a</think>b', '</think>c'], 'a', 'b</think>c'],
  ])('%s', async (_what, contents, reasoning, text) => {
    const { listener } = await harness.complete(name, { steps: contents.map((content) => ({ text: content })) });
    expect([listener.reasoning, listener.text]).toEqual([reasoning, text]);
  });

  it('is not part of a collected text', async () => {
    const steps = ['Hm', '.\n</think>\n\n', 'Hi', ' there'].map((text) => ({ text }));
    const collector = new ReplyCollector();
    const listener = Object.assign(collector, { texts: [], reasonings: [] });
    const { result } = await harness.complete(name, { steps }, {}, listener as never);
    expect(collector.toCompletion({ ...result, provider: 'p' }).text).toBe('Hi there');
  });
});
