import { PostingsWriter, readPostings } from './postings';

describe('the postings of a term', () => {
  it('keep ids, frequencies and lengths of any size', () => {
    const postings = [
      [7, 1, 0],
      [8, 3, 127],
      [8 + 64, 1, 128],
      [20_000, 70_000, 16_384],
      [2_147_483_647, 1, 5],
    ] as const;
    const writer = new PostingsWriter(7);
    postings.forEach(([id, frequency, length]) => writer.add(id, frequency, length));
    const read: number[][] = [];
    readPostings(writer.toBytes(), 7, (...posting) => read.push(posting));
    expect(read).toEqual(postings);
  });

  it('need three bytes for a passage of usual length', () => {
    const writer = new PostingsWriter(1);
    for (let id = 1; id <= 100; id++) writer.add(id, 1, 300);
    expect(writer.toBytes()).toHaveLength(300);
  });
});
