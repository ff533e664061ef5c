// Writes src/generated from the OpenAPI document of the built service: Hey API makes the types, and below is made what
// names each operation as a method. Another folder can be given, to compare.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';

const program = fileURLToPath(new URL('../dist/openapi.js', import.meta.url));
const folder = process.argv[2] ?? fileURLToPath(new URL('src/generated', import.meta.url));

const temporary = mkdtempSync(join(tmpdir(), 'openapi-'));
execFileSync(process.execPath, [program], { cwd: temporary, stdio: 'ignore' });
const file = join(temporary, 'openapi.json');
await createClient({
  input: file,
  output: { path: folder, entryFile: false, fileName: { suffix: null }, tsConfigPath: null },
  plugins: ['@hey-api/typescript'],
  logs: { level: 'error' },
});
const document = JSON.parse(readFileSync(file, 'utf8'));
rmSync(temporary, { recursive: true });

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  ['get', 'post', 'put', 'patch', 'delete']
    .filter((method) => item[method])
    .map((method) => ({ ...item[method], route: `${method.toUpperCase()} ${path}` })),
);
writeFileSync(join(folder, 'methods.ts'), methodsFile(nested(operations)));

/** The operations by the parts of their ids: `{ admin: { users: { list: … } } }`. */
function nested(list) {
  const root = {};
  for (const operation of list) {
    const names = operation.operationId.split('.');
    const last = names.pop();
    const place = names.reduce((parent, name) => (parent[name] ??= {}), root);
    place[last] = operation;
  }
  return root;
}

function methodsFile(tree) {
  return [
    '// Made by client/generate.mjs from the OpenAPI document.',
    "import type { MethodRequest } from '../request';",
    "import type * as types from './types';",
    '',
    '/** Method and path of each operation, and whether it answers a file of any kind. */',
    `export const ROUTES = ${block(tree, ({ route, responses }) => `: '${route}${isFile(responses) ? ' file' : ''}',`)};`,
    '',
    '/** All routes of the service. Each method answers the body, or fails with an `ApiError`. */',
    `export interface ChatServiceMethods ${block(tree, signature, ';')}`,
    '',
    '/** The facts about failures, by their codes. */',
    `export interface ErrorDetails {\n${errorDetails().join('\n')}\n}`,
    '',
  ].join('\n');
}

/** `CONTENT_REFUSED` has `ContentRefusedDetails`. */
function errorDetails() {
  return (
    document.components.schemas.ErrorCode.enum
      .map((code) => [code, `${inOneWord(code.toLowerCase())}Details`])
      // Those of some routes only, such as what `/health` checks, are another schema's.
      .filter(([, type]) => JSON.stringify(document.components.schemas[type] ?? {}).includes('"properties"'))
      .map(([code, type]) => `  ${code}: types.${type};`)
  );
}

function inOneWord(words) {
  return words.replace(/(?:^|[._])(\w)/g, (_match, letter) => letter.toUpperCase());
}

function block(tree, write, end = ',', indent = '') {
  const lines = Object.entries(tree).map(([name, part]) => {
    const inner = `${indent}  `;
    if (part.operationId) return comment(part, inner, end) + inner + name + write(part, inner);
    return `${inner}${name}: ${block(part, write, end, inner)}${end}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function comment({ summary, description, 'x-scope': scope }, indent, end) {
  if (end === ',') return '';
  const words = [[summary, description].filter(Boolean).join('. '), scopeOf(scope)].filter(Boolean).join('\n\n');
  return `${indent}/** ${words.replaceAll('*/', '*\\/').replaceAll('\n', `\n${indent} * `)} */\n`;
}

/** What API keys may do with it. */
function scopeOf(scope) {
  return scope === null ? 'Not for API keys.' : scope && `Scope of API keys: \`${scope}\`.`;
}

/** `(request: …): Promise<…>;`, and one more for lists that are also files. */
function signature(operation, indent) {
  const type = inOneWord(operation.operationId);
  const request = `MethodRequest<types.${type}Data>`;
  const csv = hasCsv(operation) ? `(request: ${request} & { query: { format: 'csv' } }): Promise<string>;\n` : '';
  const name = operation.operationId.split('.').pop();
  const repeated = csv && `${csv}${indent}${name}`;
  return `${repeated}(request${needsRequest(operation) ? '' : '?'}: ${request}): Promise<types.${type}Response>;`;
}

function needsRequest({ parameters = [], requestBody }) {
  const needsBody = requestBody && resolved(requestBody).required;
  return Boolean(needsBody) || parameters.some((parameter) => resolved(parameter).required);
}

function isFile(responses) {
  return Object.values(responses).some((response) => resolved(response).content?.['application/octet-stream']);
}

function hasCsv({ responses }) {
  return Object.values(responses).some((response) => resolved(response).content?.['text/csv']);
}

function resolved({ $ref, ...value }) {
  return $ref
    ? $ref
        .slice(2)
        .split('/')
        .reduce((part, name) => part[name], document)
    : value;
}
