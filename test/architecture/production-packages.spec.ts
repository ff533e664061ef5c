import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const MOST_PACKAGES = 400;
const LARGEST_SIZE = 275 * 1024 * 1024;

interface LockedPackage {
  dev?: boolean;
  devOptional?: boolean;
  resolved?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path.startsWith('node_modules/'));

/**
 * The folders that `npm ci --omit=dev` would create on this machine; packages for other platforms are not installed.
 */
const production = locked.filter(([path, { dev }]) => !dev && existsSync(join(ROOT, path))).map(([path]) => path);

/** Bytes on the disk as `du` counts them, without nested packages. */
function sizeOf(path: string): number {
  const status = lstatSync(path);
  const inside = status.isDirectory() ? readdirSync(path).filter((name) => name !== 'node_modules') : [];
  return inside.reduce((sum, name) => sum + sizeOf(join(path, name)), status.blocks * 512);
}

describe('the production installation', () => {
  it(`is at most ${MOST_PACKAGES} packages`, () => {
    expect(production.length).toBeGreaterThan(100);
    expect(production.length).toBeLessThanOrEqual(MOST_PACKAGES);
  });

  it('takes at most 275 MB', () => {
    const size = production.reduce((sum, path) => sum + sizeOf(join(ROOT, path)), 0);
    expect(size).toBeLessThanOrEqual(LARGEST_SIZE);
  });

  it('includes one development dependency: the compiler, an optional peer of valibot', () => {
    const both = locked.filter(([, { devOptional }]) => devOptional).map(([path]) => path);
    expect(both).toEqual(['node_modules/typescript']);
  });

  it('has one version of Express, the one that Nest uses', () => {
    expect(locked.map(([path]) => path).filter((path) => /node_modules\/express$/.test(path))).toEqual([
      'node_modules/express',
    ]);
  });

  it.each(['package-lock.json', 'test/clients/package-lock.json'])(
    'comes from the configured registry: %s names none',
    (file) => {
      expect(readFileSync(join(ROOT, file), 'utf8')).not.toContain('"resolved"');
    },
  );
});
