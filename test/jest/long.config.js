const { tmpdir } = require('node:os');
const { longProjects, securityProject, shared } = require('./projects.js');

// The limits of the service depend on its disk, which memory would hide.
process.env.TEST_DATABASES ??= tmpdir();

/**
 * Tests that need more than a minute, on both engines: `npm run test:crash` and `npm run test:load`. They run one at a
 * time, because each uses the whole machine.
 */
module.exports = {
  ...shared,
  maxWorkers: 1,
  testTimeout: 1_800_000,
  // The same attacks as in each run on SQLite: their cost is the work of the process, on any engine.
  projects: [...longProjects(), securityProject('mariadb')],
};
