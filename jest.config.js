const {
  browserProject,
  endToEndProject,
  outsideProject,
  securityProject,
  shared,
  unitProject,
} = require('./test/jest/projects.js');
const { isInstalled } = require('./test/support/servers/installed.js');

const mariadbInstalled = isInstalled('mariadbd') && isInstalled('mariadb-install-db');
if (!mariadbInstalled && process.env.CI) {
  throw new Error('mariadbd is not installed: apt-get install mariadb-server. CI does not run without it.');
}
const chromiumInstalled = isInstalled('chromium-headless-shell');
if (!chromiumInstalled && process.env.CI) {
  throw new Error(
    'chromium-headless-shell is not installed: apt-get install chromium-headless-shell. CI does not run without it.',
  );
}

module.exports = {
  ...shared,
  projects: [
    unitProject(),
    outsideProject(),
    endToEndProject('sqlite'),
    securityProject('sqlite'),
    ...(mariadbInstalled ? [endToEndProject('mariadb')] : []),
    ...(chromiumInstalled ? [browserProject()] : []),
  ],
};
