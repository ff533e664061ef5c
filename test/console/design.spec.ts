import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contrast } from '../../console/src/app/brand-colour';

const SOURCES = join(__dirname, '../../console/src');
/** Printed pages are measured in other units. */
const sheets = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.css') && !name.endsWith('print.css'))
  .map((name) => ({ name, text: readFileSync(join(SOURCES, name), 'utf8') }));

/** The declarations of these properties, as `name: value`. */
function declarations(property: RegExp): { sheet: string; declaration: string; value: string }[] {
  return sheets.flatMap(({ name, text }) =>
    [...text.matchAll(/(?<=[{;]\s*)([a-z-]+):\s*([^;{}]+);/g)]
      .filter(([, named]) => property.test(named!))
      .map(([declaration, , value]) => ({ sheet: name, declaration, value: value! })),
  );
}

describe('the style sheets of the console', () => {
  it('use only the three sizes and two weights of text', () => {
    const isOurs = (value: string): boolean =>
      /^(var\(--(small|normal|large|bold)\)|\d*\.?\d+em|400|inherit|max\(1rem, 16px\))$/.test(value);
    expect(declarations(/^font-(size|weight)$/).filter(({ value }) => !isOurs(value))).toEqual([]);
  });

  it('space in steps of four pixels', () => {
    const isStep = (value: string): boolean =>
      [...value.matchAll(/(\d*\.?\d+)rem/g)].every(([, number]) => Number.isInteger(Number(number) * 4));
    const spaces = declarations(/^(gap|row-gap|column-gap|padding|margin)/).filter(
      ({ value }) => !value.includes('calc'),
    );
    expect(spaces.length).toBeGreaterThan(100);
    expect(spaces.filter(({ value }) => !isStep(value))).toEqual([]);
  });

  it('have readable colours in both themes', () => {
    const tokens = sheets.find(({ name }) => name.endsWith('tokens.css'))!.text;
    const colours = new Map(
      [...tokens.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, light, dark]) => [
        name!,
        [light!, dark!] as const,
      ]),
    );
    const pairs = [
      ...['text', 'text-soft', 'accent', 'danger'].flatMap((text) =>
        ['page', 'surface', 'raised'].map((background) => [text, background]),
      ),
      ...['accent', 'danger', 'success', 'warning'].map((text) => [text, `${text}-soft`]),
      ['on-accent', 'accent'],
      ['on-accent', 'accent-strong'],
      ['on-danger', 'danger'],
    ] as [string, string][];
    const faint = pairs.filter(([text, background]) =>
      [0, 1].some((theme) => contrast(colours.get(text)![theme]!, colours.get(background)![theme]!) < 4.5),
    );
    expect(faint).toEqual([]);
    // The edges of fields.
    for (const background of ['page', 'raised']) {
      for (const theme of [0, 1]) {
        expect(contrast(colours.get('line-strong')![theme]!, colours.get(background)![theme]!)).toBeGreaterThan(3);
      }
    }
  });
});
