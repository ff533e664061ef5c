import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../src/api-docs/operations';
import { builtDocument } from '../support/built-document';
import { target } from '../support/dereference';

const SOURCES = resolve(__dirname, '../../src');

const LINTER = resolve(__dirname, '../clients/lint-openapi.mjs');

describe('the OpenAPI document as tools read it', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    ({ document } = await builtDocument());
  });

  it('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((name) => target(document, name) === undefined)).toEqual([]);
  });

  it('follows all recommended rules of Redocly and of Spectral', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lint-'));
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const { stdout } = await promisify(execFile)(process.execPath, [LINTER, file]);
    await rm(folder, { recursive: true });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('has once what many operations share', () => {
    const failures = operationsOf(document).flatMap(({ operation }) =>
      Object.entries(operation.responses).filter(([status]) => status === 'default' || Number(status) >= 400),
    );
    expect(failures.length).toBeGreaterThan(500);
    expect(failures.filter(([, response]) => !response || !('$ref' in response))).toEqual([]);
  });

  it('is generated from DTO classes with unique names, in the files that the compiler reads for it', async () => {
    const entries = await readdir(SOURCES, { recursive: true });
    const files = entries.filter((file) => file.endsWith('.ts'));
    const classes = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(join(SOURCES, file), 'utf8');
        return [...text.matchAll(/^export class (\w+)/gm)].map(([, name = '']) => ({ name, file }));
      }),
    );
    const documented = classes.flat().filter(({ file }) => file.endsWith('.dto.ts'));
    const names = documented.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(classes.flat().filter(({ name, file }) => name.endsWith('Dto') && !file.endsWith('.dto.ts'))).toEqual([]);
  });
});
