const { tmpdir } = require('node:os');
const { longProjects, securityProject, shared } = require('./projects.js');

// What a service bears depends on its disk, which memory would hide.
process.env.TEST_DATABASES ??= tmpdir();

/**
 * Tests that need more than a minute, on both engines: `npm run test:crash` and `npm run test:load`. One at a time, because
 * each of them takes the whole machine.
 */
module.exports = {
  ...shared,
  maxWorkers: 1,
  testTimeout: 1_800_000,
  // The same attacks as in each run on SQLite: what they cost is the work of the process, whatever the engine.
  projects: [...longProjects(), securityProject('mariadb')],
};
