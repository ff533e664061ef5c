const { execFileSync, spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { ROOT, specFiles } = require('./spec-files.js');

/** End-to-end files that fit into the minute together with the rest, on two cores. */
const MOST_FILES = 8;

/** Words in paths that do not describe the subject of a test. */
const EMPTY_WORDS = new Set([
  'src',
  'test',
  'modules',
  'common',
  'e2e',
  'ts',
  'tsx',
  'js',
  'spec',
  'module',
  'service',
]);

/**
 * Checks in a minute whether a change works: format, lint and types, all unit tests, and the end-to-end tests on SQLite
 * that cover the change. The change is the difference from the commit in the first argument (default: HEAD), including
 * new files. It lists the related files that it skips; `npm test` runs everything.
 */
async function main(since = 'HEAD') {
  const changed = changedFiles(since);
  const related = relatedFiles(changed);
  const endToEnd = related.slice(0, MOST_FILES);
  process.stdout.write(
    `${changed.length} files differ from ${since}; end-to-end: ${endToEnd.join(', ') || 'nothing is related'}\n`,
  );
  const units = specFiles().filter((file) => isUnit(file) || (changed.includes(file) && !isEndToEnd(file)));
  const checks = runAll([
    ['format:check', sourcesOf(changed, /\.(ts|tsx|js|mjs|jsx|json|md|css|html|ya?ml)$/)],
    ['lint', sourcesOf(changed, /\.(ts|tsx|js|mjs|jsx)$/)],
  ]);
  const types = run('npm', ['run', '--silent', 'typecheck']);
  // Not as arguments, which jest repeats at the end of its output.
  process.env.TEST_FILES = [...units, ...endToEnd].map((file) => path.join(ROOT, file)).join('\n');
  const tests = run(process.execPath, [
    ...['node_modules/jest/bin/jest.js', '--selectProjects', 'unit', 'outside', 'browser', 'e2e-sqlite'],
    ...['--maxWorkers', '2', '--filter', path.join(__dirname, 'jest/chosen-files.js')],
  ]);
  const results = [...(await checks), await types, await tests];
  const left = related.slice(MOST_FILES);
  if (left.length > 0) process.stdout.write(`\nRelated too, and left to npm test: ${left.join(', ')}\n`);
  process.stdout.write(`\n${Math.round(performance.now() / 1000)} seconds\n`);
  process.exitCode = results.every((status) => status === 0) ? 0 : 1;
}

/** Paths from the root of the project, without deleted files. */
function changedFiles(since) {
  const git = (...words) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  const tracked = git('diff', '--name-only', '--diff-filter=d', since);
  return [...new Set([...tracked, ...git('ls-files', '--others', '--exclude-standard')])];
}

const isEndToEnd = (file) => file.endsWith('.e2e-spec.ts');

const isUnit = (file) => file.startsWith('src/') || file.startsWith('test/console/');

/** End-to-end files, those most related to the changed ones first: they import them, or have a similar name. */
function relatedFiles(changed) {
  const sources = changed.filter((file) => file.startsWith('src/') && !file.endsWith('.spec.ts'));
  const words = new Set(sources.flatMap(wordsOf));
  const score = (file) => {
    if (changed.includes(file)) return 100;
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    const imported = sources.filter((source) => text.includes(`../${source.replace(/\.ts$/, '')}'`)).length;
    return imported * 10 + wordsOf(path.basename(file)).filter((word) => words.has(word)).length;
  };
  return specFiles()
    .filter(isEndToEnd)
    .map((file) => [score(file), file])
    .filter(([points]) => points > 0)
    .sort(([one], [other]) => other - one)
    .map(([, file]) => file);
}

/** `src/modules/chat/reply/reply-store.ts`: chat, reply, store; without a final `s`. */
function wordsOf(file) {
  const words = file.split(/[^a-z0-9]+/i).filter((word) => word && !EMPTY_WORDS.has(word));
  return [...new Set(words.map((word) => word.replace(/s$/, '')))];
}

const sourcesOf = (changed, kind) => changed.filter((file) => kind.test(file));

/** One after the other, because each uses a full core. */
async function runAll(checks) {
  const statuses = [];
  for (const [name, files] of checks) {
    if (files.length > 0) statuses.push(await run('npm', ['run', '--silent', name, '--', ...files]));
  }
  return statuses;
}

function run(program, words) {
  const child = spawn(program, words, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? 1));
  });
}

void main(process.argv[2]);
