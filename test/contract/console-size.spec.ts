import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUILT = join(__dirname, '../../dist/console');
const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'];

const assets = readdirSync(join(BUILT, 'assets'));
const compressed = (file: string): number => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length;
const sum = (files: string[]): number => files.reduce((total, file) => total + compressed(file), 0);
const texts = (language: string): string[] => assets.filter((name) => name.startsWith(`texts-${language}-`));
const asset = (name: string): string => `assets/${name}`;

/** What the first file brings with it: its own imports, and what `index.html` names. */
function neededBy(file: string, found = new Set<string>()): Set<string> {
  found.add(file);
  const imports = readFileSync(join(BUILT, file), 'utf8').matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g);
  for (const [, name] of imports) {
    if (!found.has(asset(name!))) neededBy(asset(name!), found);
  }
  return found;
}

function firstPage(language: string): Set<string> {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, file]) => file!);
  const shown = assets.filter((name) => /^entrance-/.test(name) || /-(shell|entrance)-/.test(name));
  const ofLanguage = shown.filter((name) => !name.startsWith('texts-') || name.startsWith(`texts-${language}-`));
  const files = new Set(['index.html']);
  [...named, ...ofLanguage.map(asset)].forEach((file) => neededBy(file, files));
  return files;
}

describe('the size of the console, compressed with gzip', () => {
  it.each(LANGUAGES)('is at most 40 kB for the first page, in %s', (language) => {
    const files = [...firstPage(language)];
    expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/\.css$/), expect.stringMatching(/shell/)]));
    expect(sum(files)).toBeLessThanOrEqual(40_000);
  });

  it('is at most 120 kB for everything that one person can load', () => {
    const code = assets.filter((name) => !name.startsWith('texts-'));
    const largest = Math.max(...LANGUAGES.map((language) => sum(texts(language).map(asset))));
    expect(largest).toBeGreaterThan(0);
    expect(sum(['index.html', ...code.map(asset)]) + largest).toBeLessThanOrEqual(120_000);
  });
});
