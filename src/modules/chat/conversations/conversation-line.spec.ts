import { type BranchingMessage, lineThrough } from './conversation-line';

describe('the line through a message', () => {
  function messages(...rows: [id: number, parentId: number | null, hasContent?: boolean][]): BranchingMessage[] {
    return rows.map(([id, parentId, hasContent = true]) => ({ id, parentId, hasContent }));
  }

  const plain = messages([1, null], [2, 1], [3, 2], [4, 3]);

  it.each([1, 2, 3, 4])('is the whole conversation without branches, through %i', (id) => {
    expect(lineThrough(plain, id)).toEqual([1, 2, 3, 4]);
  });

  /** 1-2-3-4, another first message 5-6, and a branch below the second reply to 1: 1-7-8-9. */
  const branched = messages([1, null], [2, 1], [3, 2], [4, 3], [5, null], [6, 5], [7, 1], [8, 7], [9, 8]);

  it.each([
    ['an earlier wording continues with the last messages', 1, [1, 7, 8, 9]],
    ['an earlier reply continues with its next messages', 2, [1, 2, 3, 4]],
    ['another first message', 5, [5, 6]],
    ['an end', 9, [1, 7, 8, 9]],
  ])('%s', (_case, id, line) => {
    expect(lineThrough(branched, id)).toEqual(line);
  });

  it('follows the branch with the newest message, not the branch started last', () => {
    expect(lineThrough(messages([1, null], [2, 1], [3, 2], [4, 2], [5, 3]), 1)).toEqual([1, 2, 3, 5]);
  });

  it('prefers a reply with text to a later one without', () => {
    expect(lineThrough(messages([1, null], [2, 1], [3, 1, false]), 1)).toEqual([1, 2]);
  });

  it('ends with a reply without text if there is no other, and includes the given one', () => {
    expect(lineThrough(messages([1, null], [2, 1, false], [3, 1, false]), 1)).toEqual([1, 3]);
    expect(lineThrough(messages([1, null], [2, 1], [3, 1, false]), 3)).toEqual([1, 3]);
  });

  it('continues below a reply without text if a message follows it', () => {
    expect(lineThrough(messages([1, null], [2, 1, false], [3, 2], [4, 3]), 1)).toEqual([1, 2, 3, 4]);
  });
});
