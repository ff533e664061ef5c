const {
  browserProject,
  outsideProject,
  securityProject,
  serverProject,
  shared,
  sqliteProject,
  unitProject,
} = require('./projects.js');
const { isInstalled } = require('../support/servers/installed.js');

for (const [program, name] of [
  ['mariadbd', 'mariadb-server'],
  ['chromium-headless-shell', 'chromium-headless-shell'],
  ['redis-server', 'redis-server'],
  ['promtool', 'prometheus'],
]) {
  if (!isInstalled(program)) throw new Error(`${program} is not installed. Run apt-get install ${name}.`);
}

/** What a merge runs in addition to `npm test`, on this Node. */
module.exports = {
  ...shared,
  projects: [
    unitProject('rest'),
    outsideProject(),
    sqliteProject('rest'),
    securityProject('sqlite'),
    serverProject('mariadb', false),
    browserProject('rest'),
  ],
};
