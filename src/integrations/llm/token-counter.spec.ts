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

  /** Varied enough that a wrong cut between slices would show. */
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

  it('counts a conversation as OpenAI does: 4 tokens around each message, 3 for the reply', async () => {
    const messages = [
      { role: 'system' as const, content: 'a' },
      { role: 'user' as const, content: 'a b c' },
    ];
    expect(await counter.countConversation(messages)).toBe(1 + 3 + 2 * 4 + 3);
  });

  it.each(['a', ' ', '中', '!'])('counts 100,000 times %j without holding up the event loop', async (character) => {
    await counter.count('warm up');
    let hasTurned = false;
    setImmediate(() => (hasTurned = true));
    expect(await counter.count(character.repeat(100_000))).toBeGreaterThan(0);
    // Counted on this thread, the number would be there before the event loop goes on.
    expect(hasTurned).toBe(true);
  });

  it('estimates what a dead worker owes, and starts another one', async () => {
    const text = 'some words '.repeat(20_000);
    const terminate = jest.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
      void this.terminate();
    });
    expect(await counter.count(text)).toBe(estimateTokens(text));
    terminate.mockRestore();
    expect(await counter.count('a b c')).toBe(3);
  });

  it('answers by estimate what is still open when the application ends', async () => {
    const open = counter.count('a b c');
    await counter.onApplicationShutdown();
    expect(await open).toBe(estimateTokens('a b c'));
  });
});
