import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const CLIENT = resolve(__dirname, '..');

it('is what the OpenAPI document gives: `npm run client:generate` was not forgotten', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-'));
  await promisify(execFile)(process.execPath, [join(CLIENT, 'generate.mjs'), folder]);
  const committed = join(CLIENT, 'src/generated');
  const files = await readdir(folder);
  expect(files).toEqual(await readdir(committed));
  for (const file of files) {
    expect(await readFile(join(committed, file), 'utf8')).toBe(await readFile(join(folder, file), 'utf8'));
  }
  await rm(folder, { recursive: true });
});
