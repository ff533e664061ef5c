import { customArguments, CustomInput, customInputOf } from './custom-input';

function piecesOf(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}

function read(text: string, size: number): string[] {
  const reader = new CustomInput();
  return [...piecesOf(text, size).map((piece) => reader.add(piece)), reader.end()];
}

/** Every type of escape, and characters of two code units. */
const INPUT = '"\\/\b\f\n\r\t\u0001\u2028é日😀 end';

describe('the input of a custom tool', () => {
  it.each([1, 2, 3, 5, 7, 1_000])('is read from pieces of %d units', (size) => {
    const escaped = `{"input":"${[...INPUT]
      .map(
        (one) =>
          [...one].length &&
          one
            .split('')
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
            .join(''),
      )
      .join('')}"}`;
    for (const text of [customArguments(INPUT), escaped, ` \n{ "input" : ${JSON.stringify(INPUT)} , "more": 1}`]) {
      const pieces = read(text, size);
      expect(pieces.join('')).toBe(INPUT);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
      expect(customInputOf(text)).toBe(INPUT);
    }
  });

  it('is emitted as soon as the model writes it', () => {
    const reader = new CustomInput();
    expect(['{"inp', 'ut": "He', 'llo \\', 'n\\u00', 'e9'].map((piece) => reader.add(piece))).toEqual([
      '',
      'He',
      'llo ',
      '\n',
      'é',
    ]);
  });

  it.each([
    ['', ''],
    ['{}', '{}'],
    ['{"input":""}', ''],
    ['{"input":null}', '{"input":null}'],
    ['{"input"', '{"input"'],
    ['{"other":"x","input":"y"}', 'y'],
    ['["input"]', '["input"]'],
    ['plain text', 'plain text'],
    ['{"input":"\\u00', 'u00'],
    ['{"input":"\\ude00x"}', '\ufffdx'],
    ['{"input":"\\ud83d\\n"}', '\ufffd\n'],
    ['{"input":"\\u0000"}', '\ufffd'],
    [`${' '.repeat(1_000)}{"input":"x"}`, 'x'],
  ])('of %j is %j', (text, expected) => {
    for (const size of [1, 4, 10_000]) {
      expect(read(text, size).join('')).toBe(expected);
    }
  });

  it('is read in time linear in its length', () => {
    const text = customArguments('\\"\n'.repeat(300_000));
    const before = process.cpuUsage();
    expect(read(text, 4).join('')).toHaveLength(900_000);
    const { user } = process.cpuUsage(before);
    expect(user).toBeLessThan(5_000_000);
  });
});
