import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** Code that a console module must not contain, because the next user of the page would see its data. */
const REFUSED = [
  `let draft = '';`,
  `const drafts = new Map<string, string>();`,
  `const draft = signal('');`,
  `const drafts: string[] = [];`,
  `const drafts: Record<string, string> = {};`,
  `addEventListener('focus', () => undefined);`,
  `await load();`,
  `class Drafts { static kept = new Set<string>(); }`,
  `const state = { draft: '' }; export function keep(text: string): void { state.draft = text; }`,
  `const state = { drafts: { count: 0 } }; export const count = (): number => state.drafts.count++;`,
  `const drafts = ['none']; export function keep(text: string): void { drafts.push(text); }`,
  `const state = { draft: '' }; export const keep = (draft: string): object => Object.assign(state, { draft });`,
  `class Drafts { static kept = ''; } export function keep(text: string): void { Drafts.kept = text; }`,
];

const ALLOWED = [
  `const t = texts('chat');`,
  `const NAMES = ['one', 'two'] as const;`,
  `const drawn = new WeakMap<object, string>(); export const keep = (key: object): object => drawn.set(key, '');`,
  `export class Drafts { readonly kept = new Map<string, string>(); }`,
  `export function names(): string[] { const all: string[] = []; all.push('one'); return all; }`,
  `const state = { draft: '' }; export function keep(state: { draft: string }): void { state.draft = ''; }`,
  `import { visit } from './visit'; export function keep(text: string): void { visit.draft = text; }`,
];

describe('the rule that console modules store no user data', () => {
  let folder: string;
  let reported: Map<string, number>;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'state-of-people-'));
    const names = [...REFUSED, ...ALLOWED].map((code, index) => {
      const name = `module-${index}.ts`;
      writeFileSync(join(folder, name), `${code}\nexport {};\n`);
      return name;
    });
    const configuration = {
      plugins: [],
      categories: { correctness: 'off' },
      jsPlugins: [join(ROOT, 'test/lint/rules.js')],
      rules: { 'service/state-of-people': 'error' },
    };
    writeFileSync(join(folder, 'oxlintrc.json'), JSON.stringify(configuration));
    const oxlint = join(ROOT, 'node_modules/.bin/oxlint');
    const { stdout } = spawnSync(oxlint, ['-c', 'oxlintrc.json', '--format', 'json', ...names], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string }[] };
    reported = new Map(names.map((name) => [name, diagnostics.filter(({ filename }) => filename === name).length]));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(REFUSED.map((code, index) => [code, `module-${index}.ts`]))('refuses %s', (_code, name) => {
    expect(reported.get(name)).toBeGreaterThan(0);
  });

  it.each(ALLOWED.map((code, index) => [code, `module-${REFUSED.length + index}.ts`]))('allows %s', (_code, name) => {
    expect(reported.get(name)).toBe(0);
  });
});
