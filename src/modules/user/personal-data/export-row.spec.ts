import { Readable } from 'node:stream';
import { LongText, toListJson } from './export-row';

function each<Item>(...items: Item[]): AsyncIterable<Item> {
  return Readable.from(items);
}

async function written(rows: AsyncIterable<object>): Promise<unknown> {
  let json = '';
  for await (const piece of toListJson(rows)) {
    json += piece;
  }
  return JSON.parse(json);
}

describe('the rows of an export', () => {
  it('may have long texts and lists in pieces', async () => {
    const rows = each<object>(
      { id: 1, text: new LongText(each('a "quoted"\n', 'half \ud83d', '\ude00 of a character')), name: 'one' },
      { id: 2, files: each<object>({ text: new LongText(each('b')) }, { text: null }), none: each<object>() },
    );
    expect(await written(rows)).toEqual([
      { id: 1, text: 'a "quoted"\nhalf 😀 of a character', name: 'one' },
      { id: 2, files: [{ text: 'b' }, { text: null }], none: [] },
    ]);
  });

  it('may be none', async () => {
    expect(await written(each<object>())).toEqual([]);
  });
});
