const { spawn } = require('node:child_process');
const { appendFileSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { processorSeconds } = require('./jest/process-time.js');
const { readResults, resultLine, timesTable } = require('./times.js');

/** The checks that run in addition to the tests, in the order in which they run. */
const checks = ['format:check', 'imports', 'lint', 'typecheck', 'house'];

/** What they need: the types of the clients, or the built service. */
const needs = { lint: 'test:clients', typecheck: 'test:clients', house: 'build' };

/**
 * The type linter and the compiler are written in Go. With a second thread they need a quarter more processor time,
 * which the concurrent tests need.
 */
const ONE_THREAD = { GOMAXPROCS: '1' };

/** What remains for `npm run test:all`, as named at the end of the output. */
const NOT_RUN =
  'MariaDB, MySQL and Redis, crashes, attacks, all pages in the browser, installed packages, Node 20, third-party programs';

/**
 * `npm test`: prepares what the tests need, and runs the first part of them. The checks run at the same time,
 * because the build takes one processor and the tests often wait. The output of a check is shown when it has ended. A
 * check that fails counts as a failed test in the file named by TEST_RESULTS_FILE (see `times.js`). The arguments go to
 * jest. A caller that named the file shows the table of times itself.
 */
async function main(jestArguments) {
  const folder = process.env.TEST_RESULTS_FILE ? undefined : mkdtempSync(path.join(tmpdir(), 'chat-check-'));
  if (folder) process.env.TEST_RESULTS_FILE = path.join(folder, 'results');
  process.exitCode = await check(jestArguments);
  if (folder) {
    process.stdout.write(`\n${timesTable(readResults(process.env.TEST_RESULTS_FILE))}\n`);
    rmSync(folder, { recursive: true });
  }
  process.stdout.write(`\nnpm test took ${Math.round(performance.now() / 1000)} seconds.\n`);
  process.stdout.write(`Not run: ${NOT_RUN}. To run them: npm run test:all\n`);
}

/** @returns {Promise<number>} the exit status */
async function check(jestArguments) {
  const prepare = (name) => step('phase', name, 'npm', ['run', '--silent', name]);
  const preparing = { 'test:clients': prepare('test:clients'), build: prepare('build') };
  const checking = runChecks(preparing);
  const prepared = await Promise.all(Object.values(preparing));
  if (prepared.some(({ status }) => status !== 0)) {
    await checking;
    return 1;
  }
  const jest = ['jest', '--config', path.join(__dirname, 'jest/first.config.js')];
  const { status } = await step('phase', 'jest', 'npx', [...jest, ...jestArguments]);
  const failed = await checking;
  if (failed.length > 0) process.stdout.write(`\nFAILED: ${failed.join(', ')}; what they say is above.\n`);
  return failed.length > 0 ? 1 : status;
}

async function runChecks(preparing) {
  const failed = [];
  for (const name of checks) {
    await preparing[needs[name]];
    const { status, output } = await step('check', name, 'npm', ['run', '--silent', name], 'pipe', ONE_THREAD);
    process.stdout.write(`\n${name}: ${status === 0 ? 'passed' : `FAILED\n${output}`}\n`);
    if (status !== 0) failed.push(name);
  }
  return failed;
}

/** Runs a program and records its cost. A failed `check` counts as a failed test. */
async function step(project, file, program, programArguments, stdio = 'inherit', environment = {}) {
  const begun = performance.now();
  const before = processorSeconds();
  const result = await run(program, programArguments, stdio, environment);
  const failed = project === 'check' && result.status !== 0 ? 1 : 0;
  const wallSeconds = (performance.now() - begun) / 1000;
  const cost = { wallSeconds, processorSeconds: processorSeconds() - before, starts: 0 };
  appendFileSync(process.env.TEST_RESULTS_FILE, resultLine({ project, file, passed: 0, failed, skipped: 0, ...cost }));
  return result;
}

/** Resolves when the program has exited; `output` is what it wrote, unless it inherits stdio. */
function run(program, programArguments, stdio, environment) {
  const env = { ...process.env, ...environment };
  const child = spawn(program, programArguments, { env, stdio: ['ignore', stdio, stdio] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (output += text));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status: status ?? 1, output }));
  });
}

void main(process.argv.slice(2));
