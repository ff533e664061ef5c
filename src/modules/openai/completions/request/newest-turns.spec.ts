import type { Turn } from '../../../generation/generation.api';
import { newestTurns } from './newest-turns';

const turn = (role: Turn['role'], content: string): Turn => ({ role, content, parts: null });
const CALL: Turn = {
  role: 'assistant',
  content: '',
  parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: '' }],
};
const RESULT: Turn = { role: 'user', content: '', parts: [{ type: 'tool_result', id: 'c', content: 'x' }] };

const TURNS = [
  turn('system', 's'),
  turn('user', '1'),
  turn('assistant', '2'),
  turn('user', '3'),
  turn('assistant', '4'),
  turn('user', '5'),
];

const wordsOf = (turns: readonly Turn[]): string => turns.map(({ content }) => content).join('');

describe('newestTurns', () => {
  it.each([
    [null, 's12345'],
    [9, 's12345'],
    [5, 's12345'],
    [4, 's12345'],
    [3, 's345'],
    [2, 's345'],
    [1, 's5'],
  ])('keeps the instructions, and at most %p of the rest, starting with a user message: %s', (most, words) => {
    expect(wordsOf(newestTurns(TURNS, most))).toBe(words);
  });

  it('keeps a result with its call and the question before it', () => {
    const turns = [...TURNS, CALL, RESULT];
    expect(newestTurns(turns, 1)).toEqual([TURNS[0], TURNS[5], CALL, RESULT]);
    expect(newestTurns([CALL, RESULT], 1)).toEqual([CALL, RESULT]);
  });
});
