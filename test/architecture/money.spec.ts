import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE, sourceFiles } from '../support/project-files';

/** Conversions to a double, and functions that round one. */
const DOUBLES =
  /\bNumber\(|\bNumber\.parse|\bparseFloat\(|\bparseInt\(|\.toFixed\(|\bMath\.(?:round|floor|ceil|trunc)\(|'double'/;

/** Whether a file works with money amounts. */
function isAboutMoney(path: string, text: string): boolean {
  return path.startsWith('common/money/') || path.startsWith('modules/pricing/') || text.includes('common/money/');
}

/** The first code in a text, ignoring comments, that would convert money to a double. */
function doubleIn(text: string): string | undefined {
  return DOUBLES.exec(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''))?.[0];
}

describe('money', () => {
  it('is never converted to a double', () => {
    const found = sourceFiles('.ts')
      .filter((path) => !path.endsWith('.spec.ts'))
      .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }))
      .filter(({ path, text }) => isAboutMoney(path, text))
      .map(({ path, text }) => [path, doubleIn(text)])
      .filter(([, double]) => double !== undefined);
    expect(found).toEqual([]);
  });

  it.each(['Number(row.cost)', 'cost.toFixed(2)', 'parseFloat(price)', "@Column('double') cost: number;"])(
    'would be converted by %s',
    (text) => {
      expect(doubleIn(text)).toBeDefined();
      expect(doubleIn(`// ${text}`)).toBeUndefined();
    },
  );
});
