import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');
const GENERATED = 'client/src/generated';

it('openapi.yaml and the client are those of the built service: `npm run generate` was not forgotten', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'generated-'));
  await promisify(execFile)(process.execPath, [join(ROOT, 'client/generate.mjs'), folder]);
  const files = await readdir(join(folder, GENERATED));
  expect(files).toEqual(await readdir(join(ROOT, GENERATED)));
  for (const file of ['openapi.yaml', ...files.map((name) => join(GENERATED, name))]) {
    const committed = await readFile(join(ROOT, file), 'utf8');
    const generated = await readFile(join(folder, file), 'utf8');
    // A difference of two large texts would take long to compute, and none is mended by hand.
    expect({ file, isSame: committed === generated }).toEqual({ file, isSame: true });
  }
  await rm(folder, { recursive: true });
});
