const { appendFileSync } = require('node:fs');
const path = require('node:path');
const { isInstalled } = require('../support/servers/installed.js');
const { resultLine, timesTable } = require('../times.js');

/** What the tests need, and how to install it. */
const programs = {
  mariadbd: 'apt-get install mariadb-server',
  'redis-server': 'apt-get install redis-server',
  'chromium-headless-shell': 'apt-get install chromium-headless-shell',
};

/**
 * Prints prominently, before and after a run, which programs were missing, and ends with one line `N passed, N failed`.
 * In CI a skipped test fails the run: nothing is left out silently. A file named by TEST_RESULTS_FILE gets a line (see
 * `../times.js`) as soon as a test file has finished, and `<project> complete` when all have finished, for `.ci/run`: a
 * run that breaks off has not tested everything, whatever its files show. Without that file the table of times is
 * printed here.
 */
class SummaryReporter {
  results = [];

  onRunStart() {
    this.warnOfMissingPrograms();
  }

  onRunComplete(_contexts, results) {
    this.skipped = results.numPendingTests + results.numTodoTests;
    this.passed = results.numPassedTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.warnOfMissingPrograms();
    const projects = [...new Set(results.testResults.map((file) => file.displayName?.name).filter(Boolean))];
    if (!results.wasInterrupted) record(projects.map((project) => `${project} complete 0 0 0\n`).join(''));
    if (!process.env.TEST_RESULTS_FILE && this.results.length > 1) console.log(`\n${timesTable(this.results)}`);
    console.log(`\nran: ${projects.sort().join(', ') || 'nothing'}`);
    if (this.skipped > 0) console.log(`${this.skipped} SKIPPED`);
    console.log(`${this.passed} passed, ${failed} failed`);
  }

  onTestResult(test, result) {
    const measured = resultOf(test.context.config.displayName.name, result);
    this.results.push(measured);
    record(resultLine(measured));
  }

  getLastError() {
    if (process.env.CI && this.skipped > 0) return new Error(`${this.skipped} tests were skipped; CI allows none`);
    return undefined;
  }

  warnOfMissingPrograms() {
    for (const [program, install] of Object.entries(programs)) {
      if (!isInstalled(program)) {
        console.warn(`\n!!! ${program} IS NOT INSTALLED: its tests are NOT run. To run them: ${install}\n`);
      }
    }
  }
}

function record(lines) {
  if (process.env.TEST_RESULTS_FILE) appendFileSync(process.env.TEST_RESULTS_FILE, lines);
}

/** @returns {import('../times.js').Result} */
function resultOf(project, file) {
  return {
    project,
    file: path.relative(process.cwd(), file.testFilePath),
    passed: file.numPassingTests,
    // A file that cannot be run has no failed tests.
    failed: file.numFailingTests + (file.testExecError ? 1 : 0),
    skipped: file.numPendingTests + file.numTodoTests,
    wallSeconds: (file.perfStats?.runtime ?? 0) / 1000,
    processorSeconds: file.processorSeconds ?? 0,
    starts: file.serviceStarts ?? 0,
  };
}

module.exports = SummaryReporter;
