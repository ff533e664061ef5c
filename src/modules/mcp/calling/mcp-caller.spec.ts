import { resultText } from './mcp-caller';

describe('the result of an MCP tool', () => {
  const textOf = (text: string, structuredContent?: Record<string, unknown>): string =>
    resultText({ content: text === '' ? [] : [{ type: 'text', text }], structuredContent } as never);

  it.each<[string, Record<string, unknown> | undefined, string]>([
    ['Sunny.', undefined, 'Sunny.'],
    ['', { sky: 'clear' }, '{"sky":"clear"}'],
    ['Sunny.', { sky: 'clear', celsius: 21 }, 'Sunny.\n{"sky":"clear","celsius":21}'],
    ['It is 21 degrees.', { celsius: 21 }, 'It is 21 degrees.'],
    ['{"sky": "\\u6674"}', { sky: '晴' }, '{"sky": "\\u6674"}'],
    ['晴れ', { result: '晴れ' }, '晴れ'],
    ['Found.', { rows: [] }, 'Found.'],
    ['Open.', { isOpen: true }, 'Open.\n{"isOpen":true}'],
  ])('includes structured data in addition to %j where it adds content: %j', (text, data, expected) => {
    expect(textOf(text, data)).toBe(expected);
  });

  it('compares no words of long texts, which would block the process', () => {
    const words = 'again '.repeat(12_000);
    expect(textOf(words, { said: 'again' })).toBe(`${words}\n{"said":"again"}`);
    const rows = { rows: words };
    expect(textOf('again', rows)).toBe(`again\n${JSON.stringify(rows)}`);
    expect(textOf(JSON.stringify(rows, null, 2), rows)).toBe(JSON.stringify(rows, null, 2));
  });
});
