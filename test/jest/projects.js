const path = require('node:path');
const { specFiles } = require('../spec-files.js');
const { declarationsOf } = require('./declarations.js');
const { differsOnNode } = require('./differing-files.js');

const rootDir = path.resolve(__dirname, '../..');

// Far from UTC, with half an hour and summer time, so that code that means UTC has to request it.
process.env.TZ = 'America/St_Johns';

// Each worker, and each service that a test starts, loads 2,800 modules. Since Node 22 it can cache V8's compiled code.
process.env.NODE_COMPILE_CACHE ??= path.resolve(__dirname, '../../node_modules/.cache/compiled');

/** ES-module-only packages, which jest has to compile. */
const MODULES = ['openid-client', 'oauth4webapi', 'jose'];

/** Compiles like tsc: decorators with metadata, class names kept, unset fields not defined. */
const transform = {
  [`/node_modules/(${MODULES.join('|')})/.+\\.js$`]: [
    '@swc/jest',
    { swcrc: false, module: { type: 'commonjs' }, jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } } },
  ],
  '^.+\\.ts$': [
    '@swc/jest',
    {
      swcrc: false,
      sourceMaps: 'inline',
      // Code frames are read from the files; without source maps less is compiled in each test file.
      inlineSourcesContent: false,
      module: { type: 'commonjs' },
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        keepClassNames: true,
      },
    },
  ],
};

/**
 * One jest project.
 *
 * @param {string} displayName how the run names it; `--selectProjects` takes this
 * @param {'sqlite' | 'mariadb' | 'mysql'} databaseEngine what `createTestDatabase()` hands to its files
 * @param {string[]} testMatch the files it runs
 * @param {string[]} leftOut files that it does not run although they match, from the root of the project
 */
function project(displayName, databaseEngine, testMatch, leftOut = []) {
  return {
    // One cache of compiled files for all projects and runs.
    id: 'chat-service',
    displayName,
    rootDir,
    roots: ['<rootDir>/src', '<rootDir>/client/test', '<rootDir>/test'],
    testEnvironment: '<rootDir>/test/jest/shared-environment.js',
    runtime: '<rootDir>/test/jest/shared-runtime.js',
    testRunner: '<rootDir>/test/jest/measured-runner.js',
    testMatch,
    testPathIgnorePatterns: ['/node_modules/', ...leftOut.map((file) => `/${file.replaceAll('.', '\\.')}$`)],
    transform,
    transformIgnorePatterns: [`/node_modules/(?!(${MODULES.join('|')})/)`],
    moduleFileExtensions: ['ts', 'js', 'json'],
    // As the console names it.
    moduleNameMapper: { '^chat-service-client$': '<rootDir>/client/src/index.ts' },
    globals: { databaseEngine },
    globalSetup: `<rootDir>/test/jest/${databaseEngine}.setup.ts`,
    globalTeardown: `<rootDir>/test/jest/${databaseEngine}.teardown.ts`,
    setupFiles: ['<rootDir>/test/jest/environment.ts'],
    restoreMocks: true,
  };
}

const endToEndFiles = ['<rootDir>/{test/e2e,client/test}/*.e2e-spec.ts'];
const browserFiles = ['<rootDir>/{test/browser,client/test}/*.browser-spec.ts'];

/**
 * What `npm test` runs, what only a merge runs, or both: see `declarations.js`.
 *
 * @typedef {'first' | 'rest' | 'all'} Part
 */

/** @returns {string[]} the files that do not belong to this part */
function outsideOf(part, usualPart = 'first') {
  if (part === 'all') return [];
  return specFiles().filter((file) => (declarationsOf(file).part ?? usualPart) !== part);
}

/** The end-to-end files against SQLite. @param {Part} part */
function sqliteProject(part) {
  return project('e2e-sqlite', 'sqlite', endToEndFiles, outsideOf(part));
}

/**
 * The end-to-end files against a database server.
 *
 * @param {'mariadb' | 'mysql'} databaseEngine
 * @param {boolean} whole all files, and not only those that declare that they can differ there
 */
function serverProject(databaseEngine, whole) {
  const differs = (file) => declarationsOf(file).databases.includes(databaseEngine);
  const leftOut = whole ? [] : specFiles().filter((file) => !differs(file));
  const alone = databaseEngine === 'mysql' ? ['<rootDir>/test/contract/*.mysql-spec.ts'] : [];
  // Files for one server only need no declaration.
  const stay = leftOut.filter((file) => !file.endsWith(`.${databaseEngine}-spec.ts`));
  return project(`e2e-${databaseEngine}`, databaseEngine, [...endToEndFiles, ...alone], stay);
}

/** Attacks on the built service, against one database engine. */
function securityProject(databaseEngine) {
  return project(`security-${databaseEngine}`, databaseEngine, ['<rootDir>/test/security/*.security-spec.ts']);
}

/** Tests that can differ on the oldest Node release, with names separate from the whole run. */
function oldNodeProjects() {
  const units = Object.entries(differsOnNode).flatMap(([folder, names]) => filesOf(`<rootDir>/${folder}`, names));
  const isEndToEnd = (file) => file.endsWith('.e2e-spec.ts');
  return [
    project(
      'unit-node20',
      'sqlite',
      units.filter((file) => !isEndToEnd(file)),
    ),
    project('e2e-sqlite-node20', 'sqlite', units.filter(isEndToEnd)),
  ];
}

/** A name may contain the type of its file, which is required in a folder with several types. */
function filesOf(folder, names) {
  const kind = folder.endsWith('/e2e') ? 'e2e-spec' : 'spec';
  return names.map((name) => `${folder}/${name.endsWith('spec') ? name : `${name}.${kind}`}.ts`);
}

/** Pages in a real browser. The first part is the smoke test. @param {Part} part */
function browserProject(part) {
  return project('browser', 'sqlite', browserFiles, outsideOf(part, 'rest'));
}

/** Third-party programs with large binaries, and installations from the npm registry. */
function programsProject() {
  return project('programs', 'sqlite', ['<rootDir>/test/programs/*.spec.ts']);
}

/** Tests that need more than a minute: of crashes, and under load. */
function longProjects() {
  return ['crash', 'load'].flatMap((kind) =>
    ['sqlite', 'mariadb'].map((engine) =>
      project(`${kind}-${engine}`, engine, [
        `<rootDir>/test/${kind}/*.${kind}-spec.ts`,
        // Tests that only one engine has.
        `<rootDir>/test/${kind}/*.${kind}-${engine}-spec.ts`,
      ]),
    ),
  );
}

/**
 * Everything that needs no particular database.
 *
 * @param {Part} part
 */
function unitProject(part) {
  const files = [
    '<rootDir>/{src,client/test}/**/*.spec.ts',
    '<rootDir>/test/{console,contract,architecture,house}/**/*.spec.ts',
  ];
  return project('unit', 'sqlite', files, outsideOf(part));
}

/** The service as a package that other packages extend. */
function outsideProject() {
  return project('outside', 'sqlite', ['<rootDir>/test/outside/**/*.spec.ts']);
}

/**
 * Settings shared by all runs. Three workers run on two cores, because a worker often waits for a disk, a hash or a
 * database. Each restarts when it uses much memory, because jest keeps some data of every file.
 */
const shared = {
  rootDir,
  maxWorkers: 3,
  workerIdleMemoryLimit: '2GB',
  testSequencer: '<rootDir>/test/jest/slow-first-sequencer.js',
  testTimeout: 180_000,
  reporters: ['default', '<rootDir>/test/jest/summary-reporter.js'],
};

module.exports = {
  browserProject,
  longProjects,
  oldNodeProjects,
  outsideProject,
  programsProject,
  securityProject,
  serverProject,
  shared,
  sqliteProject,
  unitProject,
};
