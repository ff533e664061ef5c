import { execFile } from 'node:child_process';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { eventually } from './eventually';
import { databaseLocation } from './servers/test-database';

/** The built service, because descriptions and examples of fields come from the compiler's plugin. */
const PROGRAM = resolve(__dirname, '../../dist/openapi.js');

/**
 * The OpenAPI document of the built service, as JSON and as YAML; `npm run build` comes first. The first test file that
 * asks has it written, into the folder of the run, and all others of the run read it there.
 */
export async function builtDocument(): Promise<{ document: OpenAPIObject; yaml: string }> {
  const folder = join(databaseLocation('sqlite'), 'openapi');
  const unfinished = `${folder}.unfinished`;
  if (await isFirstToMake(unfinished)) {
    await promisify(execFile)(process.execPath, [PROGRAM], { cwd: unfinished });
    await mkdir(folder, { recursive: true });
    for (const name of ['openapi.yaml', 'openapi.json']) await rename(join(unfinished, name), join(folder, name));
  }
  const json = await eventually(() => readFile(join(folder, 'openapi.json'), 'utf8').catch(() => null));
  const yaml = await readFile(join(folder, 'openapi.yaml'), 'utf8');
  return { document: JSON.parse(json) as OpenAPIObject, yaml };
}

async function isFirstToMake(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
