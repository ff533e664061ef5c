import { fuseRankings, joinQueries, withoutOverlaps } from './fusion';

const ranking = (...passages: [passageId: number, score: number][]) =>
  passages.map(([passageId, score]) => ({ passageId, score }));

describe('the fusion of rankings', () => {
  it('gives a passage that is first in both the score 1, and others less', () => {
    const scores = fuseRankings(ranking([1, 0.9], [2, 0.5]), ranking([1, 0.8], [3, 0.7]), { words: 1, meaning: 1 });
    expect(scores.get(1)).toBeCloseTo(1);
    expect(scores.get(2)).toBeCloseTo(61 / 62 / 2);
    expect(scores.get(3)).toBe(scores.get(2));
  });

  it('counts a ranking by its weight', () => {
    const scores = fuseRankings(ranking([1, 1]), ranking([2, 1]), { words: 1, meaning: 3 });
    expect(scores.get(1)).toBeCloseTo(0.25);
    expect(scores.get(2)).toBeCloseTo(0.75);
  });

  it('gives passages with equal scores the same rank', () => {
    const scores = fuseRankings(ranking([1, 0.5], [2, 0.5], [3, 0.4]), [], { words: 1, meaning: 0 });
    expect(scores.get(1)).toBe(scores.get(2));
    expect(scores.get(3)).toBeCloseTo(61 / 63);
  });

  it('keeps the best score of several queries', () => {
    expect(
      joinQueries([
        new Map([[1, 0.2]]),
        new Map([
          [1, 0.4],
          [2, 0.1],
        ]),
      ]),
    ).toEqual(
      new Map([
        [1, 0.4],
        [2, 0.1],
      ]),
    );
  });
});

describe('overlapping passages', () => {
  const passage = (entryId: number, start: number, end: number) => ({ entryId, start, end });

  it('are left out if half of their length is in a better passage of the entry', () => {
    const best = passage(1, 100, 200);
    const others = [passage(1, 150, 250), passage(1, 151, 251), passage(1, 60, 130), passage(2, 100, 200)];
    expect(withoutOverlaps([best, ...others], 10)).toEqual([best, others[1], others[2], others[3]]);
  });

  it('make room for further results', () => {
    expect(withoutOverlaps([passage(1, 0, 10), passage(1, 1, 11), passage(1, 20, 30)], 2)).toHaveLength(2);
  });
});
