import { type BranchingMessage, lineThrough } from './line-through';

describe('the line through a message', () => {
  function messages(...rows: [id: number, parentId: number | null, hasWords?: boolean][]): BranchingMessage[] {
    return rows.map(([id, parentId, hasWords = true]) => ({ id, parentId, hasWords }));
  }

  const plain = messages([1, null], [2, 1], [3, 2], [4, 3]);

  it.each([1, 2, 3, 4])('is the whole of a conversation that never branched, through %i', (id) => {
    expect(lineThrough(plain, id)).toEqual([1, 2, 3, 4]);
  });

  /** 1-2-3-4, another first message 5-6, and below the second reply to 1 another conversation: 1-7-8-9. */
  const branched = messages([1, null], [2, 1], [3, 2], [4, 3], [5, null], [6, 5], [7, 1], [8, 7], [9, 8]);

  it.each([
    ['an earlier wording goes on by what was written last', 1, [1, 7, 8, 9]],
    ['an earlier reply goes on by what followed it', 2, [1, 2, 3, 4]],
    ['another beginning', 5, [5, 6]],
    ['an end', 9, [1, 7, 8, 9]],
  ])('%s', (_case, id, line) => {
    expect(lineThrough(branched, id)).toEqual(line);
  });

  it('is the one written to last, not the one begun last', () => {
    expect(lineThrough(messages([1, null], [2, 1], [3, 2], [4, 2], [5, 3]), 1)).toEqual([1, 2, 3, 5]);
  });

  it('prefers a reply with words to a later one without', () => {
    expect(lineThrough(messages([1, null], [2, 1], [3, 1, false]), 1)).toEqual([1, 2]);
  });

  it('ends with a reply without words where there is no other, and goes through one that is named', () => {
    expect(lineThrough(messages([1, null], [2, 1, false], [3, 1, false]), 1)).toEqual([1, 3]);
    expect(lineThrough(messages([1, null], [2, 1], [3, 1, false]), 3)).toEqual([1, 3]);
  });

  it('goes on below a reply without words that was answered', () => {
    expect(lineThrough(messages([1, null], [2, 1, false], [3, 2], [4, 3]), 1)).toEqual([1, 2, 3, 4]);
  });
});
