const { appendFileSync } = require('node:fs');
const { isInstalled } = require('../support/servers/installed.js');

/** What the tests run against, and how to get it. */
const serverPrograms = {
  mariadbd: 'apt-get install mariadb-server',
  'redis-server': 'apt-get install redis-server',
};

/**
 * Says loudly, before and after a run, which servers it went without, and ends with one line `N passed, N failed`.
 * In CI a skipped test fails the run: nothing is left out silently.
 */
class SummaryReporter {
  onRunStart() {
    this.warnOfMissingServers();
  }

  onRunComplete(_contexts, results) {
    this.skipped = results.numPendingTests + results.numTodoTests;
    this.passed = results.numPassedTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    this.warnOfMissingServers();
    const projects = [...new Set(results.testResults.map((file) => file.displayName?.name).filter(Boolean))];
    console.log(`\nran: ${projects.sort().join(', ') || 'nothing'}`);
    if (this.skipped > 0) console.log(`${this.skipped} SKIPPED`);
    console.log(`${this.passed} passed, ${failed} failed`);
    if (process.env.TEST_SUMMARY_FILE) {
      appendFileSync(process.env.TEST_SUMMARY_FILE, `${this.passed} ${failed} ${this.skipped}\n`);
    }
  }

  getLastError() {
    if (process.env.CI && this.skipped > 0) return new Error(`${this.skipped} tests were skipped; CI allows none`);
    return undefined;
  }

  warnOfMissingServers() {
    for (const [program, install] of Object.entries(serverPrograms)) {
      if (!isInstalled(program)) {
        console.warn(`\n!!! ${program} IS NOT INSTALLED: its tests are NOT run. To run them: ${install}\n`);
      }
    }
  }
}

module.exports = SummaryReporter;
