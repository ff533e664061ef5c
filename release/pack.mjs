/* `npm run pack`: packs the service, its typed client, and the tool that creates products and modules, to `packages`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './shipped.mjs';

const FOLDER = join(ROOT, 'packages');

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
for (const [what, folder, ...options] of [
  // npm has built the service: it runs `prepack` before a script with the name `pack`.
  ['the service', '.', '--ignore-scripts'],
  ['the typed client', './client'],
  ['the tool that creates products and modules', './create'],
]) {
  process.stdout.write(`Packing ${what}\n`);
  const words = ['pack', folder, ...options, '--silent', '--pack-destination', FOLDER];
  const { status } = spawnSync('npm', words, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}
process.stdout.write(`The packages are in ${FOLDER}.\n`);
