const { spawnSync } = require('node:child_process');
const path = require('node:path');

const WORKERS = [4, 1, 4];

/**
 * Runs all tests once for each number of workers, with the files in a random order: files that share an instance must
 * neither need nor see each other's changes. The seed is printed; as the first argument it repeats an order. The other
 * arguments are passed to jest: `--randomize` also mixes the tests within the files.
 */
const [given, ...jestArguments] = process.argv.slice(2);
const first = given ? Number(given) : Math.floor(Math.random() * 2 ** 31);
for (const [index, workers] of WORKERS.entries()) {
  const seed = String(first + index);
  process.stdout.write(`\nRandom order ${seed}, ${workers} workers\n`);
  const order = ['--testSequencer', path.join(__dirname, 'jest/random-sequencer.js'), '--seed', seed];
  const words = ['jest', ...order, '--maxWorkers', String(workers), ...jestArguments];
  const { status } = spawnSync('npx', words, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
