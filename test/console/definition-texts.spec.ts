import { type Line, sidesOf, textsOf } from '../../console/src/pages/admin/servers/tools/definition-texts';

const written = (lines: Line[]): string[] =>
  lines.map((line) =>
    line.kind === 'left_out'
      ? `… ${line.count}`
      : (line.kind === 'changed' ? '! ' : '  ') +
        line.pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join(''),
  );

const sides = (before: string, after: string) => {
  const { before: one, after: other } = sidesOf(before, after);
  return { before: written(one), after: written(other) };
};

describe('a tool definition', () => {
  it('is shown in reading order, with invisible characters made visible', () => {
    const definition = {
      name: 'look',
      inputSchema: { type: 'object', b: '\\u200b', a: { z: 1, y: ['\u00ad'] } },
      annotations: {},
      description: 'Looks.\u202e\u{e0041}',
      title: 'Look',
      execution: null,
    };
    expect(textsOf(definition)).toEqual([
      { name: 'title', text: 'Look' },
      { name: 'description', text: 'Looks.\\u202e\\udb40\\udc41' },
      {
        name: 'inputSchema',
        text: [
          '{',
          '  "a": {',
          '    "y": [',
          '      "\\u00ad"',
          '    ],',
          '    "z": 1',
          '  },',
          '  "b": "\\u200b",',
          '  "type": "object"',
          '}',
        ].join('\n'),
      },
      { name: 'annotations', text: '{}' },
      { name: 'execution', text: 'null' },
    ]);
    expect(textsOf(null)).toEqual([]);
  });

  it('is compared line by line, with changed words', () => {
    expect(sides('Reads the page.\nAnd no more.', 'Reads the mail.\nAnd no more.')).toEqual({
      before: ['! Reads the [page].', '  And no more.'],
      after: ['! Reads the [mail].', '  And no more.'],
    });
    expect(sides('a', 'a\nb')).toEqual({ before: ['  a'], after: ['  a', '! b'] });
    expect(sides('a\nb', 'b')).toEqual({ before: ['! a', '  b'], after: ['  b'] });
    expect(sides('one', 'two')).toEqual({ before: ['! one'], after: ['! two'] });
    expect(sides('a b\nc', 'a x\nc y\nz')).toEqual({
      before: ['! a [b]', '! c'],
      after: ['! a [x]', '! c[ y]', '! z'],
    });
  });

  it('omits long unchanged parts', () => {
    const lines = [...Array(20).keys()].map(String);
    expect(sides([...lines, 'a', ...lines].join('\n'), [...lines, 'b', ...lines].join('\n')).after).toEqual([
      '… 17',
      ...['17', '18', '19'].map((line) => `  ${line}`),
      '! b',
      ...['0', '1', '2'].map((line) => `  ${line}`),
      '… 17',
    ]);
  });

  it('counts as changed completely if too much differs to compare it', () => {
    const noise = (seed: number) => [...Array(8_000).keys()].map((at) => String((at * seed) % 7_919)).join('\n');
    const { before, after } = sidesOf(noise(3), noise(7));
    expect(new Set([...before, ...after].map(({ kind }) => kind))).toEqual(new Set(['changed']));
    expect([before.length, after.length]).toEqual([8_000, 8_000]);
    const others = sidesOf('a '.repeat(16_000), 'b '.repeat(16_000));
    expect(others.before).toEqual([{ kind: 'changed', pieces: [{ text: 'a '.repeat(16_000), isChanged: false }] }]);
  });
});
