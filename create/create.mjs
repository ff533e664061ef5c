#!/usr/bin/env node
/* `npm create chat-service`: creates a product that hosts the service, or a module for it. See README.md. */
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = dirname(fileURLToPath(import.meta.url));
const PRODUCT = join(HERE, 'product');

/** The template of modules: the example in the repository, and its copy in the packed tool. */
export const EXAMPLE = join(HERE, '../examples/tickets');
export const PACKED_EXAMPLE = join(HERE, 'module');

/** The time of the migration in the template of modules. */
const EXAMPLE_TIME = '1800000000000';

/** Modules, paths and short names of tables of the service, which a module cannot have again. A unit test compares them. */
export const NAMES_OF_SERVICE = [
  ...[
    'admin',
    'agent',
    'agents',
    'anthropic',
    'api',
    'auth',
    'blobs',
    'bootstrap',
    'branding',
    'budget',
    'budgets',
    'chat',
    'chats',
    'device',
    'guard',
    'guards',
  ],
  ...['events', 'files', 'generation', 'generations', 'group', 'health', 'identities', 'identity', 'invitations'],
  ...[
    'hold',
    'holds',
    'knowledge',
    'mcp',
    'metrics',
    'oauth',
    'openai',
    'operation',
    'pages',
    'payments',
    'plans',
    'prices',
    'pricing',
    'retention',
    'scim',
  ],
  ...['sessions', 'setup', 'share', 'shared', 'tool', 'usage', 'user', 'users', 'webhook', 'webhooks'],
];

/** The module of a new product, and the folder for packages that are in no registry. */
const FIRST_MODULE = 'tasks';
const PACKAGES = 'packages';

const USAGE = `Usage: create-chat-service <folder>            a product that hosts the service
       create-chat-service module <name>       a module as a package, such as "orders"

  --one <name>         one thing of the module (default: the singular of the name, such as "order")
  --packages <folder>  where the packed chat-service and chat-service-client are (*.tgz); default: the current folder,
                       the folder above it, and the repository
`;

/** A fault that the user can fix. */
class UsageError extends Error {}

/** Without what an installation and a build add, and without texts in languages that the tool cannot change. */
export function isSource(path) {
  return !/[\\/](node_modules|dist|data|packages|package-lock\.json|locales[\\/](?!en)\w+\.json)$/.test(path);
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { one: { type: 'string' }, packages: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const [first, second] = positionals;
  if (values.help || first === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const isModule = first === 'module';
  const folder = isModule ? second : first;
  if (folder === undefined || positionals.length > (isModule ? 2 : 1)) {
    throw new UsageError(USAGE);
  }
  const target = resolve(folder);
  const name = basename(target);
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new UsageError(`The folder ${target} is not empty. Choose another name.\n`);
  }
  if (isModule) {
    createModule(target, names(name, values.one), findTarballs(values.packages, ['chat-service']));
  } else {
    createProduct(target, name, findTarballs(values.packages, ['chat-service', 'chat-service-client']));
  }
  const path = relative(process.cwd(), target);
  const entered = path.startsWith('..') ? target : path;
  const next = `cd ${entered} && npm install && npm test && npm start`;
  process.stdout.write(
    `Created ${isModule ? `the module ${name}` : `the product ${name}`} in ${target}.\n\n  ${next}\n`,
  );
}

function createModule(target, words, tarballs) {
  cpSync(templateOfModules(), target, { recursive: true, filter: isSource });
  renameTemplate(target, words);
  renameSync(join(target, 'tsconfig.build.json'), join(target, 'tsconfig.json'));
  edit(join(target, 'package.json'), (text) => text.replace('"license": "MIT"', '"license": "UNLICENSED"'));
  writeFileSync(join(target, '.gitignore'), readFileSync(join(PRODUCT, '_gitignore')));
  vendor(target, tarballs, { 'chat-service': 'devDependencies' });
}

function createProduct(target, name, tarballs) {
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    throw new UsageError(`"${name}" is no name of a package. Use small letters, digits and hyphens.\n`);
  }
  cpSync(PRODUCT, target, { recursive: true });
  renameSync(join(target, '_gitignore'), join(target, '.gitignore'));
  const example = templateOfModules();
  cpSync(join(example, 'src'), join(target, 'src', FIRST_MODULE), { recursive: true, filter: isSource });
  for (const file of ['nest-cli.json', 'tsconfig.build.json']) {
    copyFileSync(join(example, file), join(target, file.replace('.build', '')));
  }
  copyFileSync(join(example, '.env.example'), join(target, 'src', FIRST_MODULE, '.env.example'));
  renameTemplate(join(target, 'src', FIRST_MODULE), names(FIRST_MODULE));
  for (const file of ['package.json', 'docker-compose.yml', 'README.md']) {
    edit(join(target, file), (text) => text.replaceAll('my-chat', name));
  }
  edit(join(target, '.env.example'), (text) => {
    writeFileSync(join(target, '.env'), text.replace('JWT_SECRET=', `JWT_SECRET=${randomBytes(32).toString('hex')}`));
    return text;
  });
  vendor(target, tarballs, { 'chat-service': 'dependencies', 'chat-service-client': 'devDependencies' });
}

function templateOfModules() {
  return existsSync(PACKED_EXAMPLE) ? PACKED_EXAMPLE : EXAMPLE;
}

/**
 * @param {string} many the name of the module, such as `orders`
 * @param {string} one one of its things, such as `order`
 * @throws UsageError for names with which the created module would not compile or start
 */
export function names(many, one = singularOf(many)) {
  const advice = 'Choose a plural of one word of small letters, or name one thing: module news --one article\n';
  if (!/^[a-z]{2,30}$/.test(many) || !/^[a-z]{2,30}$/.test(one) || one === many) {
    throw new UsageError(`"${many}" and "${one}" cannot be the names of a module and of one of its things. ${advice}`);
  }
  const words = { many, one };
  const taken = [many, one].find((name) => NAMES_OF_SERVICE.includes(name)) ?? takenInTemplate(words);
  if (taken !== undefined) {
    throw new UsageError(`"${taken}" already has a meaning in the service or in TypeScript. ${advice}`);
  }
  return words;
}

/** The singular of most English words; the word itself if it does not look like a plural. */
function singularOf(many) {
  const endings = [
    [/(ss|us|is)$/, '$1'],
    [/ies$/, 'y'],
    [/(ss|sh|ch|x|z)es$/, '$1'],
    [/s$/, ''],
  ];
  const [ending, singular] = endings.find(([ending]) => ending.test(many)) ?? ['', ''];
  return many.replace(ending, singular);
}

/** A name in the code of the template that would get a second meaning, or none in TypeScript. */
function takenInTemplate(words) {
  const rename = renaming(words);
  const identifiers = new Set(
    readdirSync(join(templateOfModules(), 'src'), { recursive: true })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(templateOfModules(), 'src', file), 'utf8'))
      .map((text) => text.replaceAll(/\/\*[^]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'/g, ' '))
      // Members have their own names: `order: …` in an object does not concern a variable `order`.
      .flatMap((text) => text.match(/(?<![.\w$])[a-z_$][\w$]*(?![\w$]|\??:)/gi) ?? []),
  );
  return [...identifiers]
    .map((identifier) => [identifier, rename(identifier)])
    .filter(([from, to]) => from !== to)
    .map(([, to]) => to)
    .find((name) => identifiers.has(name) || isReserved(name));
}

function isReserved(name) {
  try {
    new Function(`'use strict'; let ${name};`);
    return false;
  } catch {
    return true;
  }
}

/** Replaces the names and the time of the example in a text. */
function renaming({ many, one }) {
  const words = new Map([
    [EXAMPLE_TIME, String(Date.now())],
    ...Object.entries({ tickets: many, ticket: one }).flatMap(([from, to]) => [
      [from, to],
      [capitalized(from), capitalized(to)],
      [from.toUpperCase(), to.toUpperCase()],
    ]),
  ]);
  // The longer name is first, so that a plural is not read as a singular.
  const pattern = new RegExp([...words.keys()].join('|'), 'g');
  return (text) => text.replaceAll(pattern, (found) => words.get(found));
}

/** Renames the example's things in all names and contents of files, and gives its migration the present time. */
function renameTemplate(folder, words) {
  const renamed = renaming(words);
  for (const path of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (path.isFile()) {
      const file = join(path.parentPath ?? path.path, path.name);
      edit(file, renamed);
      renameSync(file, join(dirname(file), renamed(path.name)));
    }
  }
}

function capitalized(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Copies the packed packages into the project, because they are in no registry, and depends on the copies. */
function vendor(target, tarballs, kinds) {
  mkdirSync(join(target, PACKAGES));
  edit(join(target, 'package.json'), (text) => {
    const manifest = JSON.parse(text);
    for (const [name, kind] of Object.entries(kinds)) {
      const file = basename(tarballs[name]);
      copyFileSync(tarballs[name], join(target, PACKAGES, file));
      manifest[kind][name] = `file:${PACKAGES}/${file}`;
    }
    return `${JSON.stringify(manifest, null, 2)}\n`;
  });
}

const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** @returns {Record<string, string>} the paths of these packed packages by their names */
export function findTarballs(folder, wanted) {
  const repository = join(HERE, '..');
  const folders = folder === undefined ? ['.', '..', repository, join(repository, PACKAGES)] : [folder];
  const places = folders.map((one) => resolve(one)).filter((one) => existsSync(one));
  const found = {};
  for (const name of wanted) {
    const pattern = new RegExp(`^${name}-\\d+\\.\\d+\\.\\d+.*\\.tgz$`);
    const paths = places.flatMap((place) =>
      readdirSync(place)
        .filter((file) => pattern.test(file))
        .map((file) => join(place, file)),
    );
    if (paths.length === 0) {
      throw new UsageError(
        `There is no ${name}-<version>.tgz in ${places.join(', ')}. Run "npm run pack" in the repository of the ` +
          'service, or name the folder with --packages.\n',
      );
    }
    // The newest version: 1.10 comes after 1.9.
    found[name] = paths.toSorted((one, other) => BY_NUMBERS.compare(basename(one), basename(other))).at(-1);
  }
  return found;
}

function edit(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    const isUsage = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS');
    process.stderr.write(isUsage ? `${error.message.trimEnd()}\n` : `${error.stack}\n`);
    process.exitCode = 1;
  }
}
