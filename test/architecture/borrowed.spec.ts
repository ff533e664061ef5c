import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const FOLDERS = ['src', 'client/src', 'console', 'test/jest', 'test/support'];
const MOST_ROWS = 11;

/** Ids of rows, with the links in their row. */
function rows(): { id: string; tests: string[] }[] {
  const text = readFileSync(join(ROOT, 'docs/borrowed.md'), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, id] = /^\| `([a-z0-9-]+)`/.exec(line) ?? [];
    return id === undefined ? [] : [{ id, tests: [...line.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path]) => path!) }];
  });
}

/** The ids after the mark in code comments. */
function marks(): string[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|js|mjs|mts)$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(ROOT, folder, name)),
  );
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/@borrowed ([a-z0-9-]+)/g)].map(([, id]) => id!),
  );
  return [...new Set(found)].sort();
}

describe("the use of other packages' internals", () => {
  it('has a row for each mark, and a mark for each row', () => {
    expect(marks()).toEqual(
      rows()
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('stays within its budget', () => {
    expect(rows().length).toBeGreaterThan(0);
    expect(rows().length).toBeLessThanOrEqual(MOST_ROWS);
  });

  it('has a test that fails if the package changes', () => {
    const without = rows().filter(
      ({ tests }) => !tests.some((path) => /\.(e2e-)?spec\.ts$|\.test\.js$/.test(path) && existsSync(join(ROOT, path))),
    );
    expect(without).toEqual([]);
  });
});
