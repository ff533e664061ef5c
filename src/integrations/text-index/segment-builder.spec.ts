import { CollectedGrams } from './segment-builder';

/** A few grams of each part of three documents, unordered. */
const GRAMS = Array.from({ length: 2_000 }, (_gram, index) => (index * 1_103_515_245) % 2 ** 31);

const collect = (start: number, most?: number) => {
  const grams = new CollectedGrams(start, most);
  for (let ordinal = 0; ordinal < 3; ordinal++) {
    for (const gram of GRAMS.filter((_gram, index) => index % 3 <= ordinal)) {
      grams.add(gram, ordinal);
      grams.add(gram, ordinal);
    }
  }
  return grams;
};
const rowsOf = (grams: CollectedGrams) => [...grams.batches(300)].flat();

describe('the grams of a segment', () => {
  it('are returned in order, each with its documents once', () => {
    const grams = collect(0);
    const rows = rowsOf(grams);
    expect(rows.map(([gram]) => gram)).toEqual(GRAMS.toSorted((one, other) => one - other));
    expect(rows.find(([gram]) => gram === GRAMS[0])).toEqual([GRAMS[0], [0, 1, 2]]);
    expect(rows.find(([gram]) => gram === GRAMS[2])).toEqual([GRAMS[2], [2]]);
    expect([...grams.batches(300)].map(({ length }) => length)).toEqual([...Array<number>(6).fill(300), 200]);
    expect(grams.next).toBeNull();
  });

  it('are the same over several passes, each with little memory', () => {
    const rows: unknown[] = [];
    let passes = 0;
    for (let start: number | null = 0; start !== null; passes++) {
      const grams = collect(start, 150);
      const inPass = rowsOf(grams);
      expect(inPass.length).toBeLessThanOrEqual(150);
      rows.push(...inPass);
      start = grams.next;
    }
    expect(passes).toBeGreaterThan(10);
    expect(rows).toEqual(rowsOf(collect(0)));
  });
});
