import { Worker } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { TokenCounter } from './token-counter';
import { estimateTokens } from './token-estimate';

describe('TokenCounter', () => {
  let counter: TokenCounter;

  beforeAll(() => {
    counter = new TokenCounter();
    counter.answerTimeout = 120_000;
  });

  afterAll(() => counter.onApplicationShutdown());

  /** Varied enough to reveal a wrong cut between slices. */
  const english = Array.from({ length: 2_000 }, (_, index) => `word${index % 97} isn't, "x" ${index}\n`).join('');
  const chinese = '今天天气很好，我们去公园散步吧。你觉得怎么样？'.repeat(300);

  it.each([
    ['nothing', ''],
    ['a word', 'Hello'],
    ['long English text', english],
    ['long Chinese text', chinese],
    ['emoji', '👩‍👩‍👧 😀 ok'],
    ['markers of the tokenizer itself', 'a <|endoftext|> b <|im_start|>'],
  ])('counts %s exactly', async (_case, text) => {
    const exact = countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
    expect(await counter.count(text)).toBe(exact);
  });

  it('counts several texts in their order', async () => {
    expect(await counter.countAll(['a', 'a b c', ''])).toEqual([1, 3, 0]);
  });

  it('counts samples of long texts, which comes close to the exact count', async () => {
    const texts = ['a b c', english, `${english}${chinese.repeat(40)}`, 'x'.repeat(200_000), '😀'.repeat(40_000)];
    const toWorker = jest.spyOn(Worker.prototype, 'postMessage');
    const sampled = (await counter.sampleAll(texts)) ?? [];
    const [[message]] = toWorker.mock.calls as [[{ texts: string[] }]];
    expect(message.texts.join('').length).toBeLessThan(40_000);
    const counted = await counter.countAll(texts);
    expect(sampled).toHaveLength(texts.length);
    sampled.forEach((count, index) => {
      const exact = counted[index] ?? 0;
      expect({ index, isClose: Math.abs(count - exact) < 0.05 * exact + 1 }).toEqual({ index, isClose: true });
    });
  });

  it('counts several texts exactly if they are short together', async () => {
    const texts = [english.slice(0, 20_000), chinese, ''];
    expect(await counter.sampleAll(texts)).toEqual(await counter.countAll(texts));
    expect(await counter.sampleAll([])).toEqual([]);
  });

  it('counts a conversation as OpenAI does: 4 tokens around each message, 3 for the reply', async () => {
    const messages = [
      { role: 'system' as const, content: 'a' },
      { role: 'user' as const, content: 'a b c' },
    ];
    expect(await counter.countConversation(messages)).toBe(1 + 3 + 2 * 4 + 3);
  });

  it('counts the parts of a conversation and its functions, and estimates images', async () => {
    const call = { type: 'tool_call', id: 'x', name: 'f', arguments: '{}' } as const;
    const image = { type: 'image', media_type: 'image/png', name: null, data: Buffer.alloc(9), detail: null } as const;
    const parts = [{ type: 'text', text: 'a b c' } as const, call, image];
    expect(await counter.countParts(parts)).toBe(3 + 2 + 1_600);
    const tools = [{ name: 'f', description: 'a b c', parameters: null, strict: null }];
    const alone = await counter.countConversation([{ role: 'user', content: 'a b c', parts }]);
    // The parts are on separate lines.
    expect(alone - (3 + 2 + 1_600 + 4 + 3)).toBeLessThan(3);
    expect(await counter.countConversation([{ role: 'user', content: '', parts }], tools)).toBe(
      alone + (await counter.count('f a b c {}')),
    );
  });

  it.each(['a', ' ', '中', '!'])(
    'leaves 100,000 times %j to the worker, and the event loop free',
    async (character) => {
      const text = character.repeat(100_000);
      const toWorker = jest.spyOn(Worker.prototype, 'postMessage');
      expect(await counter.count(text)).toBeGreaterThan(0);
      expect(toWorker.mock.calls).toEqual([[{ id: expect.any(Number) as number, texts: [text] }]]);
    },
  );

  it('estimates the open counts of a dead worker, except for decisions, and starts another worker', async () => {
    const text = 'some words '.repeat(20_000);
    const terminate = jest.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
      void this.terminate();
    });
    const counts = await Promise.all([counter.count(text), counter.sampleAll([text])]);
    expect(counts).toEqual([estimateTokens(text), null]);
    terminate.mockRestore();
    expect(await counter.count('a b c')).toBe(3);
  });

  it('answers open counts with estimates when the application shuts down', async () => {
    const open = counter.count('a b c');
    await counter.onApplicationShutdown();
    expect(await open).toBe(estimateTokens('a b c'));
  });
});
