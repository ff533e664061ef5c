import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConsoleFiles } from '../../src/console-files/serve-console';
import type { TestApp } from './test-app';

/** Bytes that are not UTF-8, as in fonts and images. */
export const FONT = Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 37) % 256));

/** A fake built console, by path. */
export const CONSOLE_FILES: Record<string, string | Buffer> = {
  'index.html':
    '<!doctype html><title>Console</title><script type="module" src="/console/assets/index-B4k2.js"></script>',
  'site.webmanifest': '{"name":"Console"}',
  'assets/index-B4k2.js': `export const words = ${JSON.stringify('word '.repeat(1_000))};`,
  'assets/index-x9Zq.css': 'body { margin: 0 }',
  'assets/letters-77aa.woff2': FONT,
};

/** Creates a folder with such files and a link out of it, and lets the service serve it. */
export async function giveConsole({ app }: Pick<TestApp, 'app'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  for (const [path, content] of Object.entries(CONSOLE_FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await symlink('/etc/hostname', join(folder, 'assets/link.js'));
  await symlink('/etc', join(folder, 'assets/etc'));
  app.get(ConsoleFiles).folder = folder;
  return folder;
}
