import { waysOf } from './database-ways.js';
import { MadeUpProject } from './made-up-project';
import { moduleState } from './module-state.js';

const FILES = {
  'common/registries.ts': `
    const names = new Map<string, string>();
    const seen: string[] = [];
    let last = '';
    const fixed = new Set(['a']);
    const list = [1, 2];
    const notes = new WeakMap<object, number>();
    const byName: string[] = [];
    export function declare(name: string): boolean {
      names.set(name, name);
      seen.push(name);
      last = name;
      notes.set(declare, list.length);
      byName[0] = last;
      const own: string[] = [];
      own.push(name);
      return fixed.has(name);
    }
    seen.push('at the start');`,
  'common/i18n/translator.ts':
    'const formats: number[] = []; export const note = (one: number): number => formats.push(one);',
  'modules/changing.ts': 'const known: number[] = []; export const note = (one: number): number => known.push(one);',
  'database/statements/insert.ts': 'export function insertRow(): void {}',
  'database/statements/query.ts': 'export class RowQuery { all(): void {} }',
  'modules/asking.ts': `
    import { insertRow } from '../database/statements/insert';
    import { RowQuery } from '../database/statements/query';
    const ALL = new RowQuery();
    export const ask = (manager: { find(): void }): void => { insertRow(); ALL.all(); manager.find(); };`,
  'modules/not-asking.ts': 'export const find = (map: Map<string, number>): boolean => map.delete("a");',
};

describe('the figures of the sources', () => {
  let project: MadeUpProject;

  beforeAll(() => {
    project = new MadeUpProject(FILES);
  });

  afterAll(() => project.remove());

  it('include the module variables that functions change, except for caches', () => {
    const variables = ['names', 'seen', 'last', 'byName'].map((name) => `src/common/registries.ts ${name}`);
    expect(moduleState(project.root)).toEqual(variables);
  });

  it('include the ways in which a file queries the database', () => {
    expect(waysOf(FILES['modules/asking.ts'])).toEqual(['repository', 'statements']);
    expect(waysOf(FILES['modules/not-asking.ts'])).toEqual([]);
  });
});
