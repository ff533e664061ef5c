import { MarkReader } from './mark-reader';

function read(...pieces: string[]): (string | number)[] {
  const reader = new MarkReader();
  const found = [...pieces.flatMap((piece) => reader.read(piece)), reader.end()].filter((part) => part !== '');
  return found.reduce<(string | number)[]>((joined, part) => {
    const last = joined.at(-1);
    return typeof part === 'string' && typeof last === 'string'
      ? [...joined.slice(0, -1), last + part]
      : [...joined, part];
  }, []);
}

describe('MarkReader', () => {
  it('finds marks, wherever the text is cut', () => {
    const text = 'One [[cite:1]] and two.[[cite:12]][[cite:345]] [[cite:x]] [[[cite:2]]] [[cite:1234]]';
    const found = ['One ', 1, ' and two.', 12, 345, ' [[cite:x]] [', 2, '] [[cite:1234]]'];
    expect(read(text)).toEqual(found);
    expect(read(...text)).toEqual(found);
    for (let cut = 1; cut < text.length; cut++) {
      expect(read(text.slice(0, cut), text.slice(cut))).toEqual(found);
    }
  });

  it('sends text at once that cannot be a mark, and holds at most 12 characters', () => {
    const reader = new MarkReader();
    expect(reader.read('a [link](x) b')).toEqual(['a [link](x) b']);
    expect(reader.read('c [[cite:123]')).toEqual(['c ']);
    expect(reader.read('.')).toEqual(['[[cite:123].']);
    expect(reader.read('[[')).toEqual([]);
    expect(reader.end()).toBe('[[');
    expect(reader.end()).toBe('');
  });
});
