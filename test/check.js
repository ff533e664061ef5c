const { spawn } = require('node:child_process');
const { appendFileSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { processorSeconds } = require('./jest/process-time.js');
const { readResults, resultLine, timesTable } = require('./times.js');

/** The checks that start nothing, in the order in which they run. */
const staticChecks = ['format:check', 'imports', 'lint', 'typecheck'];

/** Those that read the types of the clients. */
const checksOfTypes = new Set(['lint', 'typecheck']);

/**
 * The linter of types and the compiler are written in Go. With a second thread they take a quarter more processor time, which
 * the tests beside them need.
 */
const ONE_THREAD = { GOMAXPROCS: '1' };

/**
 * Prepares what the tests need, and runs them. The static checks run beside both: the build takes one processor, and the
 * tests wait often. What a check says is shown when it has ended. A check that fails counts as a failed test in the file
 * named by TEST_RESULTS_FILE (see `times.js`). The arguments go to jest. The table of times is the end, unless somebody
 * else shows it who named the file.
 */
async function main(jestArguments) {
  const folder = process.env.TEST_RESULTS_FILE ? undefined : mkdtempSync(path.join(tmpdir(), 'chat-check-'));
  if (folder) process.env.TEST_RESULTS_FILE = path.join(folder, 'results');
  process.exitCode = await check(jestArguments);
  if (!folder) return;
  process.stdout.write(`\n${timesTable(readResults(process.env.TEST_RESULTS_FILE))}\n`);
  process.stdout.write(`\nThe whole check took ${Math.round(performance.now() / 1000)} seconds.\n`);
  rmSync(folder, { recursive: true });
}

/** @returns {Promise<number>} the exit status */
async function check(jestArguments) {
  const prepare = (name) => step('phase', name, 'npm', ['run', '--silent', name]);
  const clients = prepare('test:clients');
  const checking = runStaticChecks(clients);
  const prepared = await Promise.all([clients, prepare('build')]);
  if (prepared.some(({ status }) => status !== 0)) {
    await checking;
    return 1;
  }
  const { status } = await step('phase', 'jest', 'npx', ['jest', ...jestArguments]);
  const failed = await checking;
  if (failed.length > 0) process.stdout.write(`\nFAILED: ${failed.join(', ')}; what they say is above.\n`);
  return failed.length > 0 ? 1 : status;
}

async function runStaticChecks(clients) {
  const failed = [];
  for (const name of staticChecks) {
    if (checksOfTypes.has(name)) await clients;
    const { status, output } = await step('check', name, 'npm', ['run', '--silent', name], 'pipe', ONE_THREAD);
    process.stdout.write(`\n${name}: ${status === 0 ? 'passed' : `FAILED\n${output}`}\n`);
    if (status !== 0) failed.push(name);
  }
  return failed;
}

/** Runs a program and records what it cost. A `check` that fails counts as a failed test. */
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

/** Resolves when the program has ended; `output` is what it wrote, unless it inherits. */
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
