const path = require('node:path');
const { differsOnMysql, differsOnNode } = require('./differing-files.js');

const rootDir = path.resolve(__dirname, '../..');

// Far from UTC, with half an hour and summer time in it, so that code that means UTC has to say so.
process.env.TZ = 'America/St_Johns';

// Each worker, and each service that a test starts, loads 2,800 modules: since Node 22 it can keep what V8 makes of them.
process.env.NODE_COMPILE_CACHE ??= path.resolve(__dirname, '../../node_modules/.cache/compiled');

/** Packages that are ES modules alone, which jest has to compile. */
const MODULES = ['openid-client', 'oauth4webapi', 'jose'];

/** Compiles as tsc does: decorators with metadata, class names kept, unset fields not defined. */
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
      // Code frames are read from the files; without it less is compiled in each test file.
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
 */
function project(displayName, databaseEngine, testMatch) {
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

const END_TO_END = '<rootDir>/test/e2e';
const endToEndFiles = ['<rootDir>/{test/e2e,client/test}/*.e2e-spec.ts'];

/** The same end-to-end files, run against one database engine. */
function endToEndProject(databaseEngine) {
  return project(`e2e-${databaseEngine}`, databaseEngine, endToEndFiles);
}

/** Attacks on the built service, against one database engine. */
function securityProject(databaseEngine) {
  return project(`security-${databaseEngine}`, databaseEngine, ['<rootDir>/test/security/*.security-spec.ts']);
}

/** The tests on MySQL. @param {boolean} whole all files, and not only those that can differ there */
function mysqlProject(whole) {
  const onEveryEngine = whole ? endToEndFiles : filesOf(END_TO_END, differsOnMysql);
  return project('e2e-mysql', 'mysql', [...onEveryEngine, '<rootDir>/test/contract/*.mysql-spec.ts']);
}

/** What can differ on the oldest release of Node, named apart from the whole run. */
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

/** A name may say of which kind its file is, as it must in a folder with several. */
function filesOf(folder, names) {
  const kind = folder.endsWith('/e2e') ? 'e2e-spec' : 'spec';
  return names.map((name) => `${folder}/${name.endsWith('spec') ? name : `${name}.${kind}`}.ts`);
}

/** Pages in a real browser. */
function browserProject() {
  return project('browser', 'sqlite', ['<rootDir>/{test/browser,client/test}/*.browser-spec.ts']);
}

/** Programs of others, which come with large binaries. */
function programsProject() {
  return project('programs', 'sqlite', ['<rootDir>/test/programs/*.spec.ts']);
}

/** Tests that need more than a minute: of crashes, and under load. */
function longProjects() {
  return ['crash', 'load'].flatMap((kind) =>
    ['sqlite', 'mariadb'].map((engine) =>
      project(`${kind}-${engine}`, engine, [
        `<rootDir>/test/${kind}/*.${kind}-spec.ts`,
        // Those that only one engine has.
        `<rootDir>/test/${kind}/*.${kind}-${engine}-spec.ts`,
      ]),
    ),
  );
}

/** Everything that needs no particular database: beside the sources, and the tests of shape and of the test servers. */
function unitProject() {
  return project('unit', 'sqlite', [
    '<rootDir>/{src,client/test}/**/*.spec.ts',
    '<rootDir>/test/console/**/*.spec.ts',
    '<rootDir>/test/contract/**/*.spec.ts',
    '<rootDir>/test/architecture/**/*.spec.ts',
    '<rootDir>/test/house/**/*.spec.ts',
  ]);
}

/** The service as a package that other packages extend. */
function outsideProject() {
  return project('outside', 'sqlite', ['<rootDir>/test/outside/**/*.spec.ts']);
}

/**
 * What all runs share. Three workers for two cores, because a worker often waits: for a disk, a hash, a database. Each
 * begins anew when it holds much, because jest keeps something of every file.
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
  endToEndProject,
  longProjects,
  mysqlProject,
  oldNodeProjects,
  outsideProject,
  programsProject,
  securityProject,
  shared,
  unitProject,
};
