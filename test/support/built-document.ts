import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { eventually } from './eventually';
import { locationVariables } from './servers/test-database';

/** The built service, because the compiler plugin adds descriptions and examples of fields. */
const PROGRAM = resolve(__dirname, '../../dist/openapi.js');

interface BuiltDocument {
  document: OpenAPIObject;
  yaml: string;
}

/**
 * The OpenAPI document of the built service, as JSON and as YAML; `npm run build` comes first. The first test file that
 * needs it writes it into the folder of the run, and all others in the run read it there.
 */
export async function builtDocument(): Promise<BuiltDocument> {
  const ofRun = process.env[locationVariables.sqlite];
  if (ofRun === undefined) {
    return ownDocument();
  }
  const folder = join(ofRun, 'openapi');
  const unfinished = `${folder}.unfinished`;
  if (await isFirstToMake(unfinished)) {
    await write(unfinished);
    await mkdir(folder, { recursive: true });
    for (const name of ['openapi.yaml', 'openapi.json']) await rename(join(unfinished, name), join(folder, name));
  }
  await eventually(() => readFile(join(folder, 'openapi.json'), 'utf8').catch(() => null));
  return read(folder);
}

/** For a run without a folder, because its database is on a server. */
async function ownDocument(): Promise<BuiltDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  await write(folder);
  const built = await read(folder);
  await rm(folder, { recursive: true });
  return built;
}

function write(folder: string): Promise<unknown> {
  return promisify(execFile)(process.execPath, [PROGRAM], { cwd: folder });
}

async function read(folder: string): Promise<BuiltDocument> {
  const [json, yaml] = await Promise.all(
    ['openapi.json', 'openapi.yaml'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  return { document: JSON.parse(json ?? '') as OpenAPIObject, yaml: yaml ?? '' };
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
