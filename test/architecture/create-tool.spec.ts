import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SOURCE, sourceFiles } from '../support/project-files';

const ROOT = resolve(__dirname, '../..');
const TOOL = join(ROOT, 'create/create.mjs');

describe('create-chat-service', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'create-'));
    for (const version of ['1.9.0', '1.10.0', '1.10.0-rc.1'])
      writeFileSync(join(folder, `chat-service-${version}.tgz`), '');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const createModule = (...words: string[]) =>
    spawnSync(process.execPath, [TOOL, 'module', ...words, '--packages', '.'], { cwd: folder, encoding: 'utf8' });

  it('creates a module with other names, on the newest version of the service', () => {
    expect(createModule('categories').stderr).toBe('');
    const files = readdirSync(join(folder, 'categories'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /ticket/i.test(file))).toEqual([]);
    expect(files).toContain(join('src', 'category.entity.ts'));
    const code = readFileSync(join(folder, 'categories/src/category.service.ts'), 'utf8');
    expect(code).toContain('class CategoryService');
    expect(code).not.toMatch(/ticket/i);
    const { devDependencies } = JSON.parse(readFileSync(join(folder, 'categories/package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    expect(devDependencies['chat-service']).toBe('file:packages/chat-service-1.10.0.tgz');
  });

  it.each([
    ['news', 'new'],
    ['cases', 'case'],
    ['users', 'users'],
    ['ids', 'id'],
    ['mails', 'MailModule'],
  ])('refuses the name %s, with which the module would not work, and says what to do', (name, taken) => {
    const { status, stderr } = createModule(name);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(`"${taken}" already has a meaning`),
    });
    expect(stderr).toContain('module news --one article');
    expect(readdirSync(folder)).not.toContain(name);
  });

  it('accepts another name for one thing', () => {
    expect(createModule('news', '--one', 'article').status).toBe(0);
    expect(readdirSync(join(folder, 'news/src'))).toContain('article.entity.ts');
  });

  it('knows all modules, paths and tables of the service', () => {
    const print = `import { NAMES_OF_SERVICE } from ${JSON.stringify(TOOL)}; console.log(NAMES_OF_SERVICE.join());`;
    const known = spawnSync(process.execPath, ['--input-type=module', '-e', print], { encoding: 'utf8' }).stdout.trim();
    const code = ['.controller.ts', '.entity.ts']
      .flatMap((suffix) => sourceFiles(suffix))
      .map((file) => readFileSync(join(SOURCE, file), 'utf8'));
    const names = [
      ...readdirSync(join(ROOT, 'src/modules')),
      ...code.flatMap((text) =>
        [...text.matchAll(/@(?:Controller|Entity)\((?:\{ name: )?'([a-z]+)['/]/g)].map(([, name]) => name),
      ),
    ];
    const words = names.filter((name) => /^[a-z]+$/.test(name ?? ''));
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((name) => !known.split(',').includes(name ?? ''))).toEqual([]);
  });
});
