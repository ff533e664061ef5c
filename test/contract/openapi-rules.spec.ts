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

/** First words of the titles of operations. */
const VERBS = [
  ...['Add', 'Approve', 'Ban', 'Buy', 'Cancel', 'Change', 'Check', 'Close', 'Compact', 'Connect', 'Continue', 'Create'],
  ...['Decide', 'Delete', 'Disconnect', 'Discover', 'Download', 'Duplicate', 'Edit', 'End', 'Erase', 'Exchange'],
  ...[
    'Export',
    'Finish',
    'Import',
    'Issue',
    'Join',
    'Link',
    'List',
    'Mark',
    'Preview',
    'Queue',
    'Rate',
    'Recalculate',
    'Refresh',
  ],
  ...[
    'Regenerate',
    'Register',
    'Reinstate',
    'Release',
    'Remove',
    'Replay',
    'Resend',
    'Reset',
    'Restore',
    'Retrieve',
    'Retry',
    'Revoke',
  ],
  ...[
    'Rotate',
    'Search',
    'Send',
    'Share',
    'Sign',
    'Start',
    'Stop',
    'Stream',
    'Switch',
    'Test',
    'Unban',
    'Unlink',
    'Update',
    'Upload',
  ],
  'Verify',
];

const MOST_ROUTES = 20;
const MOST_SENTENCES = 3;

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

  it('titles every operation with a verb and what it acts on', () => {
    const titles = operationsOf(document).map(({ operation }) => operation.summary ?? '');
    const isTitle = (title: string): boolean => {
      const [verb = '', ...others] = title.split(' ');
      return VERBS.includes(verb) && others.length > 0 && others.length < 9 && /[\w)]$/.test(title);
    };
    expect(titles.filter((title) => !isTitle(title))).toEqual([]);
    expect(VERBS.filter((verb) => !titles.some((title) => title.startsWith(`${verb} `)))).toEqual([]);
  });

  it(`has groups of at most ${MOST_ROUTES} routes, each with one sentence, and explains them on the first page`, () => {
    const names = operationsOf(document).map(({ operation }) => operation.tags?.[0]);
    const faults = (document.tags ?? []).filter(({ name, description = '' }) => {
      const routes = names.filter((one) => one === name).length;
      const isExplained = sentenceCount(description) === 1 && document.info.description?.includes(`**${name}**`);
      return !isExplained || routes === 0 || routes > MOST_ROUTES;
    });
    expect(faults).toEqual([]);
  });

  it(`describes everything in at most ${MOST_SENTENCES} sentences`, () => {
    const { info: _firstPage, ...described } = document;
    const texts = descriptionsIn(described);
    expect(texts.length).toBeGreaterThan(1000);
    expect(texts.filter((text) => sentenceCount(text) > MOST_SENTENCES)).toEqual([]);
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

/** All descriptions in a part of the document, without those in examples. */
function descriptionsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) {
    return [];
  }
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'description' && typeof value === 'string') {
      return [value];
    }
    return ['example', 'examples'].includes(name) ? [] : descriptionsIn(value);
  });
}

/** The sentences of a description, without code. */
function sentenceCount(description: string): number {
  const text = description.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, 'code');
  return text.match(/[.!?](?=\s|$)/g)?.length ?? 0;
}
