import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');
const run = promisify(execFile);

/** The files that `npm pack` includes in the packages, except for what a build adds. */
const SERVICE = ['dist', 'package.json', 'README.md', 'LICENSE', '.env.example'];
const CLIENT = ['bin', 'package.json', 'README.md', 'LICENSE'];

/** A new folder for packages, or for what is made of them. */
export function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'packages-'));
}

/** Packs the built service with its types into the folder. Needs `npm run build`. */
export async function packService(folder: string): Promise<void> {
  const copy = await copyFiles(join(folder, 'service'), ROOT, SERVICE);
  await runProgram(ROOT, join(ROOT, 'node_modules/typescript-7/bin/tsc'), [
    ...['-p', 'tsconfig.build.json', '--declaration', '--emitDeclarationOnly', '--sourceMap', 'false'],
    ...['--singleThreaded', '--outDir', join(copy, 'dist')],
  ]);
  await pack(copy, folder);
}

/** Packs the typed client and the tool that creates products and modules into the folder. */
export async function packClientAndTool(folder: string): Promise<void> {
  const copy = await copyFiles(join(folder, 'client'), join(ROOT, 'client'), CLIENT);
  await runProgram(ROOT, join(ROOT, 'client/build.mjs'), [join(copy, 'dist')]);
  await pack(copy, folder);
  await runCommand(ROOT, 'npm', ['pack', './create', '--silent', '--pack-destination', folder]);
}

/**
 * A module that the tool creates, with the packed service installed by npm, built and packed, and installed next to the
 * service.
 */
export class InstalledModule {
  private constructor(
    private readonly root: string,
    /** The source of the module, with its own installation. */
    readonly source: string,
    /** The folder of a program with both packages installed. */
    readonly folder: string,
  ) {}

  static async create(): Promise<InstalledModule> {
    const root = await newFolder();
    await packService(root);
    const tool = join(ROOT, 'create/create.mjs');
    await runProgram(root, tool, ['module', 'tickets', '--packages', root]);
    const source = join(root, 'tickets');
    await runCommand(source, 'npm', ['install', '--prefer-offline', '--no-audit', '--no-fund']);
    return new InstalledModule(root, source, join(source, 'program'));
  }

  /** Builds the module and runs its tests. @returns the output */
  test(): Promise<string> {
    return runCommand(this.source, 'npm', ['test']);
  }

  /** Packs the built module, and installs the package. The dependencies are installed already. */
  async install(): Promise<void> {
    const archive = await pack(this.source, this.root);
    const to = join(this.source, 'node_modules/chat-service-tickets');
    await mkdir(to);
    await run('tar', ['-xzf', archive, '--strip-components', '1', '-C', to]);
    await mkdir(this.folder);
    // Without it, Node would find the source by the name of the package.
    await writeFile(join(this.folder, 'package.json'), '{}');
    await cp(join(this.source, 'server.mjs'), join(this.folder, 'server.mjs'));
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true });
  }
}

/** Runs a command as in a new shell, without variables of the surrounding npm. @throws with its output when it fails */
export async function runCommand(folder: string, command: string, words: string[]): Promise<string> {
  const variables = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$|INIT_CWD$)/i.test(name));
  const env = Object.fromEntries(variables);
  try {
    const { stdout, stderr } = await run(command, words, { cwd: folder, env, maxBuffer: Infinity });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${words.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

function runProgram(folder: string, file: string, words: string[]): Promise<string> {
  return runCommand(folder, process.execPath, [file, ...words]);
}

async function copyFiles(to: string, from: string, paths: string[]): Promise<string> {
  const filter = (path: string): boolean => !path.endsWith('.map') && !path.startsWith(join(ROOT, 'dist/orm'));
  await Promise.all(paths.map((path) => cp(join(from, path), join(to, path), { recursive: true, filter })));
  return to;
}

/** The build has run already, so npm skips the scripts. @returns the path of the package */
async function pack(source: string, folder: string): Promise<string> {
  const before = await readdir(folder);
  await runCommand(source, 'npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]);
  const [archive = ''] = (await readdir(folder)).filter((name) => !before.includes(name));
  return join(folder, archive);
}
