import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';

/** The built service, because descriptions and examples of fields come from the compiler's plugin. */
const PROGRAM = resolve(__dirname, '../../dist/openapi.js');

/** The OpenAPI document of the built service, as JSON and as YAML; `npm run build` comes first. */
export async function builtDocument(): Promise<{ document: OpenAPIObject; yaml: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  await promisify(execFile)(process.execPath, [PROGRAM], { cwd: folder });
  const document = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')) as OpenAPIObject;
  const yaml = readFileSync(join(folder, 'openapi.yaml'), 'utf8');
  await rm(folder, { recursive: true });
  return { document, yaml };
}
