/*
 * Installs a package of the tests that `npm ci` does not include, because running the service does not need it: `node
 * test/install.js test/clients`. Does nothing, and contacts no registry, if the installed versions match the lock file.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const folder = path.resolve(process.argv[2]);
const lock = path.join(folder, 'package-lock.json');
/** A copy of the lock file that was last installed; it is deleted together with `node_modules`. */
const installed = path.join(folder, 'node_modules', '.installed-lock.json');

if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(lock))) {
  const { status } = spawnSync('npm ci --no-audit --no-fund', { cwd: folder, shell: true, stdio: 'inherit' });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
  writeFileSync(installed, readFileSync(lock));
}
