import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppModule } from '../../src/app.module';
import type { configureApp } from '../../src/app-setup';
import type { FastExpressAdapter } from '../../src/common/http/server/fast-express-adapter';

const ROOT = resolve(__dirname, '../..');
const run = promisify(execFile);

/** The files that a build of the service needs, what it made, and the import rule. */
const COPIED = [
  'src',
  'dist',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  '.dependency-cruiser.js',
];

const isSource = (path: string): boolean => path.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(path);

/**
 * A copy of the service to which a module was added, compiled. Compiled is what was added or edited, and what the build of
 * the service (`npm run build`) has in another state: the rest would come out as it is there.
 */
export class BuiltWithModule {
  private constructor(readonly folder: string) {}

  /**
   * @param fixture folder whose `src` has the module and its migration
   * @param edits what is put before the first place of a text in a file of the service: all that adding the module takes
   */
  static async build(
    fixture: string,
    edits: { file: string; before: string; insert: string }[],
  ): Promise<BuiltWithModule> {
    const folder = await mkdtemp(join(tmpdir(), 'with-module-'));
    const filter = (path: string): boolean => !path.endsWith('.spec.ts');
    await Promise.all(COPIED.map((path) => cp(join(ROOT, path), join(folder, path), { recursive: true, filter })));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await cp(join(fixture, 'src'), join(folder, 'src'), { recursive: true });
    const added = await filesIn(join(fixture, 'src'));
    for (const { file, before, insert } of edits) {
      const text = await readFile(join(folder, file), 'utf8');
      expect(text).toContain(before);
      await writeFile(join(folder, file), text.replace(before, `${insert}${before}`));
    }
    const built = new BuiltWithModule(folder);
    const edited = edits.map(({ file }) => file).filter((file) => file.startsWith('src/'));
    const paths = [...added.map((path) => join('src', path)), ...edited, ...(await newerThanBuild())];
    await built.build(new Set(paths)).catch(async (error: unknown) => {
      await built.remove();
      throw error;
    });
    return built;
  }

  /** Runs a program of a package in the copy. @throws with its output when it fails */
  program(file: string, ...words: string[]): Promise<void> {
    return this.run(join(ROOT, 'node_modules', file), words);
  }

  private async run(file: string, words: string[]): Promise<void> {
    await run(process.execPath, [file, ...words], { cwd: this.folder }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${file} ${words.join(' ')}\n${stdout}${stderr}`);
      },
    );
  }

  /** Compiles sources, and copies files of the kinds that the build copies. */
  private async build(paths: Set<string>): Promise<void> {
    const { compilerOptions } = JSON.parse(await readFile(join(this.folder, 'nest-cli.json'), 'utf8')) as {
      compilerOptions: { assets: unknown[] };
    };
    const sources = [...paths].filter(isSource);
    const assets = [...paths].filter((path) => compilerOptions.assets.includes(`**/*${extname(path)}`));
    await Promise.all(
      assets.map((path) => cp(join(this.folder, path), join(this.folder, path.replace(/^src/, 'dist')))),
    );
    await this.run(join(__dirname, 'compile-files.js'), sources);
  }

  /** What a compiled file exports. */
  load<Exports>(path: string): Exports {
    // oxlint-disable-next-line typescript/no-require-imports -- it exists at run time only
    return require(join(this.folder, 'dist', path)) as Exports;
  }

  /** Starts it as `main.ts` does, listening on a free port. */
  async start(environment: Record<string, string>): Promise<{ app: NestExpressApplication; origin: string }> {
    const { AppModule: Root } = this.load<{ AppModule: typeof AppModule }>('app.module');
    const { FastExpressAdapter: Adapter } = this.load<{ FastExpressAdapter: typeof FastExpressAdapter }>(
      'common/http/server/fast-express-adapter',
    );
    const app = await NestFactory.create<NestExpressApplication>(Root.register(environment), new Adapter(), {
      bodyParser: false,
      logger: false,
      abortOnError: false,
    });
    this.load<{ configureApp: typeof configureApp }>('app-setup').configureApp(app);
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return { app, origin: `http://127.0.0.1:${port}` };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** Files below a folder, named from there. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Files of the service that changed after its build. */
async function newerThanBuild(): Promise<string[]> {
  const changedAt = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
  const files = (await filesIn(join(ROOT, 'src'))).filter((path) => !path.endsWith('.spec.ts'));
  const isNewer = await Promise.all(
    files.map(async (path) => {
      const compiled = join(ROOT, 'dist', path.replace(/\.ts$/, '.js'));
      return (await changedAt(join(ROOT, 'src', path))) > (await changedAt(compiled));
    }),
  );
  return files.filter((_path, index) => isNewer[index]).map((path) => join('src', path));
}
