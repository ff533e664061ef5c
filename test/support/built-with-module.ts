import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AppModule } from '../../src/app.module';
import type { configureApp } from '../../src/app-setup';
import type { FastExpressAdapter } from '../../src/common/http/fast-express-adapter';

const ROOT = resolve(__dirname, '../..');
const run = promisify(execFile);

/** The files that a build of the service needs, and the import rule. */
const COPIED = [
  'src',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  '.dependency-cruiser.js',
];

/** A copy of the service to which a module was added, compiled. */
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
    for (const { file, before, insert } of edits) {
      const text = await readFile(join(folder, file), 'utf8');
      expect(text).toContain(before);
      await writeFile(join(folder, file), text.replace(before, `${insert}${before}`));
    }
    const built = new BuiltWithModule(folder);
    await built.program('@nestjs/cli/bin/nest.js', 'build');
    return built;
  }

  /** Runs a program of a package in the copy. @throws with its output when it fails */
  async program(file: string, ...words: string[]): Promise<void> {
    await run(process.execPath, [join(ROOT, 'node_modules', file), ...words], { cwd: this.folder }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${file} ${words.join(' ')}\n${stdout}${stderr}`);
      },
    );
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
      'common/http/fast-express-adapter',
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
