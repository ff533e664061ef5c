const { browserProject, shared, sqliteProject, unitProject } = require('./projects.js');
const { isInstalled } = require('../support/servers/installed.js');

/** The run of `npm test`: all tests that are worth their time before each push. */
module.exports = {
  ...shared,
  projects: [
    unitProject('first'),
    sqliteProject('first'),
    ...(isInstalled('chromium-headless-shell') ? [browserProject('first')] : []),
  ],
};
