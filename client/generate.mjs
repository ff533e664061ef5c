// Writes client/src/generated from the OpenAPI document of the built service. Hey API generates the types of requests
// and responses. The rest of this file generates a method and the failures of each operation. An argument sets another
// output folder, for comparisons.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { failuresFile, withoutFailures } from './generator/failures.mjs';
import { methodsFile } from './generator/methods.mjs';
import { shortened } from './generator/types.mjs';

const program = fileURLToPath(new URL('../dist/openapi.js', import.meta.url));
const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'client/src/generated');

const temporary = mkdtempSync(join(tmpdir(), 'openapi-'));
execFileSync(process.execPath, [program], { cwd: temporary, stdio: 'ignore' });
const document = JSON.parse(readFileSync(join(temporary, 'openapi.json'), 'utf8'));
rmSync(temporary, { recursive: true });

await createClient({
  input: withoutFailures(document),
  output: { path: folder, entryFile: false, fileName: { suffix: null }, tsConfigPath: null },
  plugins: ['@hey-api/typescript'],
  logs: { level: 'error' },
});
const types = join(folder, 'types.ts');
writeFileSync(types, await shortened(readFileSync(types, 'utf8')));
writeFileSync(join(folder, 'methods.ts'), methodsFile(document));
writeFileSync(join(folder, 'failures.ts'), failuresFile(document));
