import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

interface Manifest {
  version: string;
  license: string;
  description: string;
  private?: boolean;
  files: string[];
  exports?: Record<string, Record<string, string>>;
  allowScripts?: Record<string, boolean>;
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifestOf = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json'))) as Manifest;
const service = manifestOf('.');

describe.each(['.', 'client', 'create'])('the package in %s', (folder) => {
  it('can be published unchanged', () => {
    const manifest = manifestOf(folder);
    expect(manifest).toMatchObject({
      version: service.version,
      license: 'MIT',
      publishConfig: { access: 'public', provenance: true },
    });
    expect(manifest).not.toHaveProperty('private');
    expect(manifest.description.length).toBeGreaterThan(20);
    expect(['README.md', 'LICENSE'].filter((name) => !existsSync(join(ROOT, folder, name)))).toEqual([]);
  });
});

describe('npm', () => {
  it('needs no install script, and warns of none', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Record<string, unknown>> };
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13));
    expect(Object.fromEntries(names.map((name) => [name, false]))).toEqual(service.allowScripts);
  });
});

describe('the container image', () => {
  it('is built from files that .dockerignore lets through', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    );
    expect(copied.length).toBeGreaterThan(5);
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(copied.filter((file) => !allowed.some((one) => `${file}/`.startsWith(`${one}/`)))).toEqual([]);
    expect(copied.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
