// Stores the API document of the built service as the released one: the parts that `openapi-released.spec.ts` compares,
// without texts.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../dist/openapi.js', import.meta.url));
const kept = fileURLToPath(new URL('../../fixtures/released/openapi-v1.json', import.meta.url));

const WORDS = ['description', 'summary', 'tags', 'example', 'examples', 'title', 'default'];

/** Members whose names the API defines. */
const NAMED = ['properties', 'schemas', 'responses', 'parameters', 'headers', 'content', 'requestBodies', 'paths'];

const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
execFileSync(process.execPath, [program], { cwd: folder, stdio: 'ignore' });
const { openapi, paths, components } = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'));
rmSync(folder, { recursive: true });
const { schemas, responses, parameters, requestBodies, headers } = components;
const compared = { schemas, responses, parameters, requestBodies, headers };
writeFileSync(kept, `${JSON.stringify(withoutWords({ openapi, paths, components: compared }))}\n`);

function withoutWords(node, isNamed = false) {
  if (Array.isArray(node)) return node.map((part) => withoutWords(part));
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).filter(([name]) => isNamed || !WORDS.includes(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, withoutWords(member, !isNamed && NAMED.includes(name))]),
  );
}
