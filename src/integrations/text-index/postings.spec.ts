import { intersection, SEGMENT_DOCUMENTS, setBits, toPostings } from './postings';

const every = (step: number, first = 0) =>
  Array.from({ length: SEGMENT_DOCUMENTS }, (_bit, ordinal) => ordinal).filter((ordinal) => ordinal % step === first);

describe('postings', () => {
  it.each([
    [[]],
    [[0]],
    [[4_095]],
    [[0, 1, 127, 128, 256, 2_000, 4_095]],
    [every(1)],
    [every(3, 1)],
    [every(300)],
    [every(128)],
  ])('store which documents have a gram', (ordinals: number[]) => {
    const bytes = toPostings(ordinals);
    expect(bytes.length).toBeLessThanOrEqual(SEGMENT_DOCUMENTS / 8);
    expect(setBits(intersection([bytes]), 0, SEGMENT_DOCUMENTS)).toEqual(ordinals.toReversed());
  });

  it('return the documents that have all grams', () => {
    const common = intersection([every(2), every(3), every(500)].map(toPostings));
    expect(setBits(common, 0, SEGMENT_DOCUMENTS)).toEqual([3_000, 1_500, 0]);
    expect(setBits(common, 1, 3_000)).toEqual([1_500]);
  });
});
