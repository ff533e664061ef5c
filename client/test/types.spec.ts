import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const GENERATOR = pathToFileURL(resolve(__dirname, '../generator/types.mjs')).href;

const LONG = `export type Kind = ${Array.from({ length: 12 }, (_one, index) => `'kind-number-${index}'`).join(' | ')};`;

/** Types as Hey API generates them. */
const WRITTEN = `${LONG}

/**
 * A name.
 */
export type Name = string;

/**
 * Another name.
 */
export type OtherName = string | null;

export type ThingsReadData = {
    body?: never;
    path: {
        /**
         * Id of the thing.
         */
        id: number;
    };
    query?: never;
    url: '/things/{id}';
};

export type ThingsReadResponses = {
    200: Name;
};

export type ThingsReadResponse = ThingsReadResponses[keyof ThingsReadResponses];

export type ThingsImportData = {
    /**
     * The file.
     */
    body: { [key: string]: unknown };
    path?: never;
    query?: never;
    url: '/things/import';
};
`;

const SHORT = `export type Kind =
  | 'kind-number-0' | 'kind-number-1' | 'kind-number-2' | 'kind-number-3' | 'kind-number-4' | 'kind-number-5'
  | 'kind-number-6' | 'kind-number-7' | 'kind-number-8' | 'kind-number-9' | 'kind-number-10' | 'kind-number-11';

/** A name. */
export type Name = string;
/** Another name. */
export type OtherName = string | null;

export type ThingsReadData = {
  body?: never; query?: never; url: '/things/{id}';
  path: {
    /** Id of the thing. */
    id: number;
  };
};
export type ThingsReadResponses = { 200: Name };
export type ThingsReadResponse = ThingsReadResponses[keyof ThingsReadResponses];

export type ThingsImportData = {
  path?: never; query?: never; url: '/things/import';
  /** The file. */
  body: { [key: string]: unknown };
};
`;

it('formats types in few lines, with each comment before its type', async () => {
  const program = `import { shortened } from '${GENERATOR}'; process.stdout.write(await shortened(${JSON.stringify(WRITTEN)}));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe(SHORT);
});
