import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

describe('docs/architecture.md', () => {
  it('lists the imports that `allowedModuleImports` in .dependency-cruiser.js allows between modules', () => {
    expect(shownImports()).toEqual(ruledImports());
  });
});

/** By module: the names in its row of the table. */
function shownImports(): Record<string, string[]> {
  const document = readFileSync(resolve(ROOT, 'docs/architecture.md'), 'utf8');
  const [, table = ''] = /^\| Module .*\n\| -.*\n((?:\|.*\n)+)/m.exec(document) ?? [];
  const rows = [...table.matchAll(/^\| (\S+) +\| (.+?) +\|$/gm)];
  return Object.fromEntries(rows.map(([, name = '', list = '']) => [name, list === 'none' ? [] : list.split(', ')]));
}

/** By module: the names in its line of `allowedModuleImports`. */
function ruledImports(): Record<string, string[]> {
  const rules = readFileSync(resolve(ROOT, '.dependency-cruiser.js'), 'utf8');
  const [, lines = ''] = /const allowedModuleImports = \{\n([^}]*)\}/.exec(rules) ?? [];
  const rows = [...lines.matchAll(/^ {2}'?([\w-]+)'?: \[([^\]]*)\],$/gm)];
  return Object.fromEntries(
    rows.map(([, name = '', list = '']) => [name, [...list.matchAll(/'([\w-]+)'/g)].map(([, other = '']) => other)]),
  );
}
