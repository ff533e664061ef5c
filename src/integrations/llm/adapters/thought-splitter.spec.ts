import { ThoughtSplitter } from './thought-splitter';

/** The pieces into which a reply is split. `waiting` is the maximum length of the buffered text. */
const split = (...pieces: string[]) => {
  let [thought, reply, longest, given] = ['', '', 0, 0];
  const splitter = new ThoughtSplitter({
    onThought: (text) => (thought += text),
    onReply: (text) => (reply += text),
    onThoughtEnd: () => undefined,
  });
  for (const piece of pieces) {
    splitter.add(piece);
    given += piece.length;
    longest = Math.max(longest, given - thought.length - reply.length);
  }
  splitter.end();
  return { thought, reply, longest };
};

describe('the reasoning in a reply', () => {
  it('is the text between its tags at the start, in pieces of any length', () => {
    for (const pieces of [['\n <think>a b</think>\n\nc'], Array.from('\n <think>a b</think>\n\nc')]) {
      expect(split(...pieces)).toMatchObject({ thought: 'a b', reply: 'c' });
    }
    expect(split(' '.repeat(200), '<think>a', '</think>b')).toMatchObject({ thought: 'a', reply: 'b' });
  });

  it('is not awaited after endless white space', () => {
    const { reply, longest } = split(...Array<string>(10_000).fill('\n'), 'end');
    expect([reply, longest]).toEqual([`${'\n'.repeat(10_000)}end`, 256]);
  });
});
