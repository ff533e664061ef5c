import { countWithin, PAGE_BYTES, shareOut } from './page-bytes';

describe('countWithin', () => {
  it.each([
    [[], 0],
    [[PAGE_BYTES], 1],
    [[PAGE_BYTES + 1], 1],
    [[PAGE_BYTES + 1, 0], 1],
    [[PAGE_BYTES, 0, 0], 3],
    [[PAGE_BYTES - 1, 1, 1], 2],
  ])('of %j is %i', (sizes, count) => expect(countWithin(sizes)).toBe(count));
});

describe('shareOut', () => {
  it.each([
    ['all that fit', [[10, 10], [20], []], [2, 1, 0]],
    [
      'a share of those with many, and the rest to the first of them',
      [Array(20).fill(10), Array(20).fill(10), [10]],
      [6, 3, 1],
    ],
    ['no long message that would take from the others', [[90], [30, 10], [20]], [0, 2, 1]],
    ['what is left over to one message that is longer than a share', [[70], [10], [10, 10]], [1, 1, 2]],
    ['one message at least', [[], [101, 1], [101]], [0, 1, 0]],
    ['nothing when there is nothing', [], []],
  ])('returns %s', (_what, sizes, counts) => expect(shareOut(sizes, 100)).toEqual(counts));
});
