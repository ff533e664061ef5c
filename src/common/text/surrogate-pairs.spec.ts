import { beginningOf, characterStart, isFirstHalf } from './surrogate-pairs';

describe('a text with surrogate pairs', () => {
  const text = 'a😀b';

  it('is cut before a pair that the offset would split', () => {
    expect([0, 1, 2, 3, 4, 9].map((offset) => characterStart(text, offset))).toEqual([0, 1, 1, 3, 4, 9]);
    expect([0, 1, 2, 3, 4, 9].map((length) => beginningOf(text, length))).toEqual(['', 'a', 'a', 'a😀', text, text]);
  });

  it('may have lone surrogates, which are cut unchanged', () => {
    expect(beginningOf('\ud83d\ud83d', 1)).toBe('\ud83d');
    expect(beginningOf('\ude00\ude00', 1)).toBe('\ude00');
  });

  it('distinguishes the first half of a pair from all other characters', () => {
    expect([0xd7ff, 0xd800, 0xdbff, 0xdc00, NaN].map(isFirstHalf)).toEqual([false, true, true, false, false]);
  });
});
