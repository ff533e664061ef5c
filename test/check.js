const { spawn } = require('node:child_process');
const { appendFileSync } = require('node:fs');

/** What the tests need. */
const preparations = ['test:clients', 'build'];

/** The checks that start nothing, in the order in which they run. */
const staticChecks = ['format:check', 'lint', 'typecheck', 'imports'];

/**
 * Prepares, and runs the static checks beside the tests, which wait often. What a check says is shown when it has
 * ended. A check that fails counts as a failed test in the file named by TEST_RESULTS_FILE (see
 * `jest/summary-reporter.js`). The arguments go to jest.
 */
async function main(jestArguments) {
  const prepared = await Promise.all(preparations.map((name) => run('npm', ['run', '--silent', name], 'inherit')));
  if (prepared.some(({ status }) => status !== 0)) {
    process.exitCode = 1;
    return;
  }
  const checking = runStaticChecks();
  const testStatus = await run('npx', ['jest', ...jestArguments], 'inherit').then(({ status }) => status);
  const failed = await checking;
  if (failed.length > 0) process.stdout.write(`\nFAILED: ${failed.join(', ')}; what they say is above.\n`);
  process.exitCode = failed.length > 0 ? 1 : testStatus;
}

async function runStaticChecks() {
  const failed = [];
  for (const name of staticChecks) {
    const { status, output } = await run('npm', ['run', '--silent', name], 'pipe');
    process.stdout.write(`\n${name}: ${status === 0 ? 'passed' : `FAILED\n${output}`}\n`);
    if (status === 0) continue;
    failed.push(name);
    if (process.env.TEST_RESULTS_FILE) appendFileSync(process.env.TEST_RESULTS_FILE, `check ${name} 0 1 0\n`);
  }
  return failed;
}

/** Resolves when the program has ended; `output` is what it wrote, unless it inherits. */
function run(program, programArguments, stdio) {
  const child = spawn(program, programArguments, { stdio: ['ignore', stdio, stdio] });
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
