const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const MOST_FILES_SHOWN = 30;
const FULL_TABLE = path.resolve(__dirname, '../node_modules/.cache/test-times.txt');

/**
 * One line of the file that TEST_RESULTS_FILE names: a test file with its jest project, a check with the project
 * `check`, a step with `phase`, and `<project> complete` once all files of a project have ended.
 *
 * @typedef {{project: string, file: string, passed: number, failed: number, skipped: number,
 *   wallSeconds: number, processorSeconds: number, starts: number}} Result
 */

/** @param {Result} result */
function resultLine({ project, file, passed, failed, skipped, wallSeconds, processorSeconds, starts }) {
  const counts = [passed, failed, skipped, wallSeconds.toFixed(1), processorSeconds.toFixed(1), starts];
  return `${[project, file, ...counts].join(' ')}\n`;
}

/** @returns {Result[]} for a file that ran twice both, because both took time */
function readResults(file) {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines
    .map((line) => {
      const [project, name, ...numbers] = line.split(' ');
      const [passed, failed, skipped, wallSeconds = 0, processorSeconds = 0, starts = 0] = numbers.map(Number);
      return { project, file: name, passed, failed, skipped, wallSeconds, processorSeconds, starts };
    })
    .filter((result) => result.file !== 'complete');
}

/**
 * The cost of the run: each step, each jest project as the sum of its files, and the most expensive files. Files and
 * checks run concurrently, so the elapsed seconds add up to more than the run took.
 *
 * @param {string} fullTable the file that gets the table of all test files
 */
function timesTable(results, fullTable = FULL_TABLE) {
  const steps = results.filter(({ project }) => project === 'phase' || project === 'check');
  const files = results.filter((result) => !steps.includes(result));
  const projects = new Map();
  for (const result of files) {
    const sum = projects.get(result.project) ?? { name: result.project, files: 0, tests: 0, ...nothing() };
    sum.files += 1;
    sum.tests += result.passed + result.failed;
    sum.starts += result.starts;
    sum.wallSeconds += result.wallSeconds;
    sum.processorSeconds += result.processorSeconds;
    projects.set(result.project, sum);
  }
  const dearest = files.sort((one, other) => other.processorSeconds - one.processorSeconds).map(fileRow);
  const rows = [...steps.map(({ file, ...result }) => ({ name: file, ...result })), ...projects.values()];
  mkdirSync(path.dirname(fullTable), { recursive: true });
  writeFileSync(fullTable, `${table([...rows, ...dearest])}\n`);
  const shown = dearest.slice(0, MOST_FILES_SHOWN);
  const left = dearest.length - shown.length;
  return `${table([...rows, ...shown])}${left > 0 ? `\n… and ${left} files in ${fullTable}` : ''}`;
}

function nothing() {
  return { starts: 0, wallSeconds: 0, processorSeconds: 0 };
}

function fileRow(result) {
  return { ...result, name: `${result.project} ${result.file}`, tests: result.passed + result.failed };
}

function table(rows) {
  const heads = ['', 'files', 'tests', 'starts', 'seconds', 'CPU seconds'];
  const cells = rows.map(({ name, files, tests, starts, wallSeconds, processorSeconds }) => [
    name,
    files ?? '',
    tests ?? '',
    starts || '',
    wallSeconds.toFixed(1),
    processorSeconds.toFixed(1),
  ]);
  const widths = heads.map((_head, column) => Math.max(...[heads, ...cells].map((row) => String(row[column]).length)));
  const pad = (cell, column) => (column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column]));
  return [heads, ...cells].map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

module.exports = { readResults, resultLine, timesTable };

if (require.main === module) {
  process.stdout.write(`${timesTable(readResults(process.argv[2]), process.argv[3])}\n`);
}
