import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');
const run = promisify(execFile);

/** The files that `npm pack` includes in the package, except for the types. */
const PACKED = ['dist', 'package.json', 'README.md', 'LICENSE'];

/**
 * A folder in which the service and another package are installed as npm installs them: both were packed, and unpacked
 * into `node_modules`. Their dependencies are linked there, so nothing is downloaded. Needs `npm run build`.
 */
export class InstalledService {
  private constructor(readonly folder: string) {}

  /** @param fixture folder of a package that extends the service; it is built with the packed service */
  static async install(fixture: string): Promise<InstalledService> {
    const installed = new InstalledService(await mkdtemp(join(tmpdir(), 'installed-')));
    await installed.linkPackages();
    const service = await installed.copy('service', ROOT, PACKED);
    await installed.program('typescript-7/bin/tsc', ROOT, [
      ...['-p', 'tsconfig.build.json', '--declaration', '--emitDeclarationOnly', '--sourceMap', 'false'],
      '--singleThreaded',
      ...['--outDir', join(service, 'dist')],
    ]);
    await installed.pack(service, 'chat-service');
    const added = await installed.copy('added', fixture, await readdir(fixture));
    await installed.program('@nestjs/cli/bin/nest.js', added, ['build']);
    await installed.pack(added, 'chat-service-bookmarks');
    await cp(join(fixture, 'server.mjs'), join(installed.folder, 'server.mjs'));
    return installed;
  }

  /** Runs a program of a package in a folder. @throws with its output when it fails */
  async program(file: string, folder: string, words: string[]): Promise<void> {
    await run(process.execPath, [join(ROOT, 'node_modules', file), ...words], { cwd: folder }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${file} ${words.join(' ')}\n${stdout}${stderr}`);
      },
    );
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }

  private async linkPackages(): Promise<void> {
    const modules = join(this.folder, 'node_modules');
    await mkdir(modules);
    const names = (await readdir(join(ROOT, 'node_modules'))).filter((name) => !name.startsWith('.'));
    await Promise.all(names.map((name) => symlink(join(ROOT, 'node_modules', name), join(modules, name))));
  }

  private async copy(name: string, from: string, paths: string[]): Promise<string> {
    const to = join(this.folder, name);
    const filter = (path: string): boolean => !path.endsWith('.map') && !path.startsWith(join(ROOT, 'dist/orm'));
    await Promise.all(paths.map((path) => cp(join(from, path), join(to, path), { recursive: true, filter })));
    return to;
  }

  /** The build has run already, so npm skips the scripts. */
  private async pack(source: string, name: string): Promise<void> {
    const words = ['pack', '--ignore-scripts', '--pack-destination', this.folder];
    const { stdout } = await run('npm', words, { cwd: source });
    const to = join(this.folder, 'node_modules', name);
    await mkdir(to);
    const archive = join(this.folder, stdout.trim().split('\n').at(-1) ?? '');
    await run('tar', ['-xzf', archive, '--strip-components', '1', '-C', to]);
  }
}
