import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { csvFile, csvLine, csvList } from './csv';

describe('csvFile', () => {
  it('starts with the byte order mark and a header line, and ends its lines with CR LF', async () => {
    const file = csvFile('report', ['id', 'name'], Readable.from([[[7, 'ada']], [[8, 'ada']]]));
    expect(await text(file.getStream())).toBe('\ufeff"id","name"\r\n7,"ada"\r\n8,"ada"\r\n');
    expect(file.getHeaders()).toMatchObject({
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="report.csv"',
    });
  });
});

describe('csvList', () => {
  it('reads pages until one is empty, and writes objects as JSON', async () => {
    const rows = [1, 2, 3].map((id) => ({ id, state: { id }, isNew: true, note: null }));
    const readAfter = jest.fn((last?: { id: number }) => Promise.resolve(rows.slice(last?.id ?? 0).slice(0, 2)));
    const file = await csvList('rows', ['id', 'state', 'isNew', 'note'], readAfter);
    expect(readAfter).toHaveBeenCalledTimes(1);
    expect((await text(file.getStream())).split('\r\n').slice(1)).toEqual([
      '1,"{""id"":1}",true,',
      '2,"{""id"":2}",true,',
      '3,"{""id"":3}",true,',
      '',
    ]);
    expect(readAfter.mock.calls.map(([last]) => last?.id)).toEqual([undefined, 2, 3]);
  });

  it('fails as a whole when the first rows cannot be read', async () => {
    await expect(csvList('rows', [], () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  });
});

describe('csvLine', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '－cmd|calc'])(
    'writes %j so that no spreadsheet runs it',
    (name) => {
      expect(csvLine([name])).toBe(`"'${name}"\r\n`);
    },
  );

  it('keeps quotes, commas and line breaks inside one cell', () => {
    expect(csvLine(['a"b', 'c,d', 'e\nf'])).toBe('"a""b","c,d","e\nf"\r\n');
  });

  it('writes numbers without quotes and null as an empty cell', () => {
    expect(csvLine([-5, null, 0])).toBe('-5,,0\r\n');
  });
});
