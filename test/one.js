const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { ROOT, specFiles } = require('./spec-files.js');

const USAGE = 'npm run test:one -- <part of a file’s path, or words of a test’s name>';

/** Without MariaDB, whose start takes longer than most files: `npx jest --selectProjects e2e-mariadb …` includes it. */
const projects = ['unit', 'outside', 'browser', 'e2e-sqlite', 'security-sqlite'];

/** Runs the test files with this text in their paths; if there are none, the tests with these words in their names. */
function main(wanted) {
  if (!wanted) return fail('Say which test');
  const specs = specFiles();
  const named = specs.filter((file) => file.includes(wanted));
  const files = named.length > 0 ? named : specs.filter((file) => textOf(file).includes(wanted.toLowerCase()));
  if (files.length === 0) return fail(`No test file has “${wanted}” in its path, and none has a test of this name`);
  const names = named.length > 0 ? [] : ['--testNamePattern', wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')];
  const jest = ['node_modules/jest/bin/jest.js', '--runInBand', '--verbose', '--selectProjects', ...projects];
  const { status } = spawnSync(process.execPath, [...jest, ...names, '--runTestsByPath', ...files], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

function textOf(file) {
  return readFileSync(path.join(ROOT, file), 'utf8').toLowerCase();
}

function fail(why) {
  process.stderr.write(`${why}: ${USAGE}\n`);
  process.exitCode = 1;
}

main(process.argv.slice(2).join(' ').trim());
