import { differences, keptOf } from './ratchet.js';
import { upwardArrows } from './upward-arrows.js';

/** A graph of files below `src/modules/a`, by what they import. */
function graphOf(imports: Record<string, string[]>): Map<string, Map<string, string[]>> {
  const place = (file: string): string => `src/modules/a/${file}`;
  return new Map(
    Object.entries(imports).map(([file, others]) => [place(file), new Map(others.map((other) => [place(other), []]))]),
  );
}

describe('the arrows upwards inside a module', () => {
  const arrows = (imports: Record<string, string[]>) => upwardArrows(graphOf(imports), 'src/modules/a/');

  it('are none where the folders have an order', () => {
    expect(arrows({ 'x/1.ts': ['y/1.ts', 'x/2.ts'], 'y/1.ts': ['z.ts'], 'x/2.ts': ['z.ts'] })).toEqual([]);
  });

  it('are those of the order in which the fewest imports run upwards', () => {
    expect(arrows({ 'x/1.ts': ['y/1.ts'], 'x/2.ts': ['y/2.ts'], 'y/1.ts': ['x/2.ts'] })).toEqual(['y/ -> x/']);
  });

  it('are one for all imports between two folders', () => {
    const downwards = { 'x/1.ts': ['y/1.ts', 'y/2.ts', 'y/3.ts'] };
    expect(arrows({ ...downwards, 'y/1.ts': ['x/2.ts'], 'y/2.ts': ['x/2.ts'] })).toEqual(['y/ -> x/']);
  });
});

describe('the figures that are kept', () => {
  const figure = (count: number) => ({ name: 'long files', found: Array.from({ length: count }, () => 'a.ts') });

  it('fail when they grow, and when they shrink without the kept file', () => {
    expect(differences([figure(2)], { 'long files': 2 })).toEqual([]);
    const [grown] = differences([figure(3)], { 'long files': 2 });
    expect(grown).toContain('long files: 2 -> 3, it grew. Undo');
    const [shrunk] = differences([figure(1)], { 'long files': 2 });
    expect(shrunk).toContain('long files: 2 -> 1, it shrank. Write it down');
  });

  it('fail only beyond their variance', () => {
    expect(differences([{ ...figure(3), variance: 1 }], { 'long files': 2 })).toEqual([]);
    expect(differences([{ ...figure(4), variance: 1 }], { 'long files': 2 })).toHaveLength(1);
  });

  it('are written without those of which nothing was found', () => {
    expect(keptOf([figure(1), { name: 'none', found: [] }])).toEqual({ 'long files': 1 });
    expect(differences([figure(1)], {})).toHaveLength(1);
    expect(differences([], { 'long files': 1 })).toHaveLength(1);
  });
});
