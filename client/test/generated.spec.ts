import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');
const GENERATED = 'client/src/generated';

it('the client is generated from the built service: run `npm run generate` after a change of the API', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'generated-'));
  await promisify(execFile)(process.execPath, [join(ROOT, 'client/generate.mjs'), folder]);
  const files = await readdir(join(folder, GENERATED));
  expect(files).toEqual(await readdir(join(ROOT, GENERATED)));
  for (const file of files.map((name) => join(GENERATED, name))) {
    const committed = await readFile(join(ROOT, file), 'utf8');
    const generated = await readFile(join(folder, file), 'utf8');
    // A diff of two large texts takes long, and the files are never edited by hand.
    expect({ file, isSame: committed === generated }).toEqual({ file, isSame: true });
  }
  await rm(folder, { recursive: true });
});
