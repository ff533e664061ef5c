const {
  browserProject,
  outsideProject,
  securityProject,
  serverProject,
  shared,
  sqliteProject,
  unitProject,
} = require('./test/jest/projects.js');
const { isInstalled } = require('./test/support/servers/installed.js');

/** All test files on all engines of this machine. `npm test` and `npm run test:rest` run parts of them. */
module.exports = {
  ...shared,
  projects: [
    unitProject('all'),
    outsideProject(),
    sqliteProject('all'),
    securityProject('sqlite'),
    ...(isInstalled('mariadbd') ? [serverProject('mariadb', true)] : []),
    ...(isInstalled('chromium-headless-shell') ? [browserProject('all')] : []),
  ],
};
