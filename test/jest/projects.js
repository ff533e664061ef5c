const path = require('node:path');

const rootDir = path.resolve(__dirname, '../..');

// Far from UTC, with half an hour and summer time in it, so that code that means UTC has to say so.
process.env.TZ = 'America/St_Johns';

/** Compiles as tsc does: decorators with metadata, class names kept, unset fields not defined. */
const transform = {
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
    roots: ['<rootDir>/src', '<rootDir>/test'],
    testEnvironment: '<rootDir>/test/jest/shared-environment.js',
    runtime: '<rootDir>/test/jest/shared-runtime.js',
    testRunner: '<rootDir>/test/jest/measured-runner.js',
    testMatch,
    transform,
    moduleFileExtensions: ['ts', 'js', 'json'],
    globals: { databaseEngine },
    globalSetup: `<rootDir>/test/jest/${databaseEngine}.setup.ts`,
    globalTeardown: `<rootDir>/test/jest/${databaseEngine}.teardown.ts`,
    setupFiles: ['<rootDir>/test/jest/environment.ts'],
    restoreMocks: true,
  };
}

/** The same end-to-end files, run against one database engine. */
function endToEndProject(databaseEngine) {
  return project(`e2e-${databaseEngine}`, databaseEngine, ['<rootDir>/test/e2e/**/*.e2e-spec.ts']);
}

/**
 * Not run on MySQL: files about HTTP, tokens, validation, rate limits, model providers and the rendering of replies, in
 * which no statement depends on the kind of database. SQLite and MariaDB run all files.
 */
const independentOfDatabase = [
  'agent-validation',
  'api-documents',
  'auth-input',
  'auth-token',
  'auth-tokens',
  'context-limit',
  'error-examples',
  'every-body',
  'mass-assignment',
  'measurement-queries',
  'metrics',
  'pages',
  'pipeline',
  'pipeline-limits',
  'provider-refusals',
  'provider-trials',
  'rate-limit',
  'reply-faults',
  'reply-formats',
  'reply-leaving',
  'reply-stream',
  'reply-thinking',
  'reply-ui-messages',
  'reply-use-chat',
  'request-bodies',
  'webhook-retry-after',
];

function mysqlProject() {
  const ignored = `/(${independentOfDatabase.join('|')})\\.e2e-spec\\.ts$`;
  return { ...endToEndProject('mysql'), testPathIgnorePatterns: [ignored] };
}

/** Pages in a real browser. */
function browserProject() {
  return project('browser', 'sqlite', ['<rootDir>/test/browser/**/*.browser-spec.ts']);
}

/** Everything that needs no particular database: beside the sources, and the tests of shape and of the test servers. */
function unitProject() {
  return project('unit', 'sqlite', [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/test/console/**/*.spec.ts',
    '<rootDir>/test/contract/**/*.spec.ts',
    '<rootDir>/test/architecture/**/*.spec.ts',
  ]);
}

/** Files that load another build of the service: beside the shared one, each would see the other's tables and texts. */
function outsideProject() {
  const outside = project('outside', 'sqlite', ['<rootDir>/test/outside/**/*.spec.ts']);
  const setupFiles = ['<rootDir>/test/jest/own-registries.js', ...outside.setupFiles];
  return { ...outside, testEnvironment: 'node', runtime: undefined, setupFiles };
}

/**
 * What all runs share. Three workers for two cores, because a worker often waits: for a disk, a hash, a database. Each
 * begins anew when it holds much, because jest keeps something of every file.
 */
const shared = {
  rootDir,
  maxWorkers: 3,
  workerIdleMemoryLimit: '1GB',
  testTimeout: 180_000,
  reporters: ['default', '<rootDir>/test/jest/summary-reporter.js'],
};

module.exports = { browserProject, endToEndProject, mysqlProject, outsideProject, shared, unitProject };
