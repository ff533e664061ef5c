import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');
const EXAMPLE = join(ROOT, 'examples/tickets/src');
const MIGRATION = '1800000000000-tickets.ts';

/** The files that the compiler and the import rule need. */
const COPIED = [
  'src',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  '.dependency-cruiser.js',
];

/** All changes outside the module's folder that adding it needs, except for its migration. */
const EDITS = [
  {
    file: 'src/app.module.ts',
    before: "import { ChatModule } from './modules/chat/chat.module';",
    insert: "import { TicketModule } from './modules/ticket/ticket.module';\n",
  },
  { file: 'src/app.module.ts', before: '    ...added,', insert: '    TicketModule,\n' },
  { file: '.dependency-cruiser.js', before: '  health: [],', insert: "  ticket: ['user'],\n" },
];

/** The folder of the service for each name that a package imports. */
const PATHS: [name: RegExp, path: string][] = [
  [/'chat-service\/(common|config)\//g, "'../../$1/"],
  [/'chat-service\/database'/g, "'../../database/database.api'"],
  [/'chat-service\/mail'/g, "'../../integrations/mail/mail.api'"],
  [/'chat-service\/user'/g, "'../user/user.api'"],
  [
    /import \{ AgentTool, type ToolContext, ToolError \} from 'chat-service'/g,
    "import { AgentTool, type ToolContext } from '../../common/tools/agent-tool.decorator';\n" +
      "import { ToolError } from '../../common/tools/tool.error'",
  ],
  [/'chat-service'/g, "'../../common/features/feature.decorator'"],
];

describe('a module added to the service by its folder, a migration and a line', () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);

  /** Runs a program in the copy. @throws with its output when it fails */
  const run = (program: string, ...words: string[]): Promise<unknown> =>
    promisify(execFile)(process.execPath, [program, ...words], { cwd: folder }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${program}\n${stdout}${stderr}`);
      },
    );

  async function edit(file: string, change: (text: string) => string): Promise<void> {
    await writeFile(path(file), change(await readFile(path(file), 'utf8')));
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'with-module-'));
    const filter = (name: string): boolean => !name.endsWith('.spec.ts');
    await Promise.all(COPIED.map((name) => cp(join(ROOT, name), path(name), { recursive: true, filter })));
    await symlink(join(ROOT, 'node_modules'), path('node_modules'));
    await cp(EXAMPLE, path('src/modules/ticket'), { recursive: true, filter: (name) => !name.endsWith('.test.ts') });
    await rename(path(`src/modules/ticket/migrations/${MIGRATION}`), path(`src/database/migrations/${MIGRATION}`));
    await edit(`src/database/migrations/${MIGRATION}`, (text) =>
      text.replace("'chat-service/database'", "'../migration-columns'"),
    );
    await edit('src/modules/ticket/ticket.module.ts', (text) =>
      text.replace(/^ {2}migrations: .*\n/m, '').replace(/^import .*\/migrations\/.*\n/m, ''),
    );
    for (const name of (await readdir(path('src/modules/ticket'))).filter((file) => file.endsWith('.ts'))) {
      await edit(`src/modules/ticket/${name}`, (text) =>
        PATHS.reduce((changed, [from, to]) => changed.replace(from, to), text),
      );
    }
    for (const { file, before, insert } of EDITS) {
      await edit(file, (text) => {
        expect(text).toContain(before);
        return text.replace(before, `${insert}${before}`);
      });
    }
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('follows the import rule', async () => {
    const program = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    // The project's check reads all other files; this one reads the module's files, and those that name them.
    const edited = ['src/modules/ticket', 'src/app.module.ts', `src/database/migrations/${MIGRATION}`];
    const others = 'node_modules|^src/(?!modules/ticket/|app\\.module\\.ts$)';
    await run(program, ...edited, '--config', '.dependency-cruiser.js', '--do-not-follow', others);
  }, 120_000);

  it('compiles', async () => {
    await run(
      join(ROOT, 'node_modules/typescript-7/bin/tsc'),
      '-p',
      'tsconfig.build.json',
      '--noEmit',
      '--singleThreaded',
    );
  }, 120_000);
});
