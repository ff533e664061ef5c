import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrationFiles } from '../support/project-files';
import { RELEASES } from '../support/releases/releases';

const ROOT = resolve(__dirname, '../..');

/** The output of `sha256sum src/database/migrations/*.ts` at the last release. */
const released = new Map(
  readFileSync(resolve(__dirname, 'released-migrations.sha256'), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split(/ +/) as [string, string])
    .map(([sum, file]) => [file, sum]),
);

describe('the migrations of a release', () => {
  it('never change except as a comment in the list explains, because databases have already run them', () => {
    for (const [file, sum] of released) {
      const text = readFileSync(resolve(ROOT, file));
      expect(`${createHash('sha256').update(text).digest('hex')}  ${file}`).toBe(`${sum}  ${file}`);
    }
  });

  it('are all in the list, up to the last one of the newest release', () => {
    const number = /\d+$/.exec(RELEASES.at(-1)?.lastMigration ?? '')?.[0] ?? '';
    const files = migrationFiles().filter((file) => (/\d+/.exec(file)?.[0] ?? '') <= number);
    expect(files.map((file) => `src/${file}`)).toEqual([...released.keys()]);
    expect(files.length).toBeGreaterThan(7);
  });
});
