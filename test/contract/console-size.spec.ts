import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUILT = join(__dirname, '../../dist/console');
const KILOBYTE = 1_024;
const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'ja'];

const assets = readdirSync(join(BUILT, 'assets'));
const compressed = (file: string): number => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length;
const sum = (files: string[]): number => files.reduce((total, file) => total + compressed(file), 0);
const texts = (language: string): string[] => assets.filter((name) => name.startsWith(`texts-${language}-`));
const asset = (name: string): string => `assets/${name}`;

/** The dependencies of the first file: its own imports, and the files that `index.html` names. */
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
  const shown = assets.filter((name) => /^auth-/.test(name) || /-(shell|auth)-/.test(name));
  const ofLanguage = shown.filter((name) => !name.startsWith('texts-') || name.startsWith(`texts-${language}-`));
  const files = new Set(['index.html']);
  [...named, ...ofLanguage.map(asset)].forEach((file) => neededBy(file, files));
  return files;
}

/** Files that only administration pages load: their own, and those that no other page imports. */
function administration(): Set<string> {
  const isTheirs = (name: string): boolean =>
    /^(administration|insight-pages|management-pages|money-pages|server-pages|choosing)-/.test(name);
  const roots = assets.filter((name) => /^(index|auth|chat|account|own-webhooks)-.*\.js$/.test(name));
  const elsewhere = new Set<string>();
  roots.forEach((name) => neededBy(asset(name), elsewhere));
  const alone = new Set<string>();
  assets.filter(isTheirs).forEach((name) => neededBy(asset(name), alone));
  assets
    .filter((name) => /^texts-\w+-(admin|manage|company|guards|money|operation|retention|servers)-/.test(name))
    .forEach((name) => alone.add(asset(name)));
  return new Set([...alone].filter((file) => !elsewhere.has(file)));
}

/**
 * Loaded with the first reply that needs it: formulas, code highlighting, diagrams, tool calls, questions from MCP
 * servers, citations.
 */
const isForSomeReplies = (name: string): boolean =>
  /^texts-\w+-questions-/.test(name) ||
  /^(math-tree|Temml|code-colours|diagram|call-list|actions|action-card|given-arguments|acting|question|connecting|cited-reply|passage-panel|passage-view)-/.test(
    name,
  );

/**
 * Not loaded by every visit, but when a user opens it: the command palette, traces, sharing, export, the trash, and the
 * pages of approvals, collections, connections, webhooks, features, the sign-in of programs, and shared conversations.
 */
const isAskedFor = (name: string): boolean =>
  /^(palette|trace-view|share-dialog|export-chat|trash|webhook-page|own-webhooks|approvals|connections|feature-page|knowledge|file-counts|storage|tabs|upload|device|shared-chat)-/.test(
    name,
  ) || /^texts-\w+-(device|knowledge|palette|replies|share|webhooks)-/.test(name);

describe('the size of the console, compressed with gzip', () => {
  it.each(LANGUAGES)('is at most 45 kB for the first page, in %s', (language) => {
    const files = [...firstPage(language)];
    expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/\.css$/), expect.stringMatching(/shell/)]));
    expect(sum(files)).toBeLessThanOrEqual(45 * KILOBYTE);
  });

  it.each(LANGUAGES)(
    'is at most 130 kB for everything that users who are not administrators load, in %s',
    (language) => {
      expect(assets.filter(isForSomeReplies).length).toBeGreaterThanOrEqual(6);
      const others = administration();
      expect([...others].some((file) => file.includes('administration-'))).toBe(true);
      const code = assets.filter((name) => !name.startsWith('texts-'));
      const loaded = [...code, ...texts(language)]
        .filter((name) => !isForSomeReplies(name) && !isAskedFor(name))
        .map(asset)
        .filter((file) => !others.has(file));
      expect(loaded.some((file) => file.includes('chat-'))).toBe(true);
      expect(sum(['index.html', ...loaded])).toBeLessThanOrEqual(130 * KILOBYTE);
    },
  );
});
