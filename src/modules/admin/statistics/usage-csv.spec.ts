import { Readable } from 'node:stream';
import { csvLine, usageCsv } from './usage-csv';
import { NO_USAGE } from './usage-statistics.dto';

describe('usageCsv', () => {
  it('begins with the byte order mark and a line of names, and ends its lines with CR LF', async () => {
    const row = { ...NO_USAGE, key: 7, name: 'ada', tokens: 3 };
    const file = await Readable.from(usageCsv(Readable.from([[row], [{ ...row, key: 8 }]]), 'user')).toArray();
    expect(file.join('')).toBe(
      '\ufeff"user_id","name","chats","messages","user_messages","prompt_tokens","completion_tokens","tokens",' +
        '"failed_replies"\r\n7,"ada",0,0,0,0,0,3,0\r\n8,"ada",0,0,0,0,0,3,0\r\n',
    );
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

  it('leaves numbers as numbers and nothing as nothing', () => {
    expect(csvLine([-5, null, 0])).toBe('-5,,0\r\n');
  });
});
