/*
 * Installs this package, which is no part of `npm ci`: who only runs the service does not need it. Does nothing, and asks
 * no registry, when what is installed is what the lock file names.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const lock = path.join(__dirname, 'package-lock.json');
/** A copy of the lock file that was installed last; it goes when `node_modules` goes. */
const installed = path.join(__dirname, 'node_modules', '.installed-lock.json');

if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(lock))) {
  const { status } = spawnSync('npm ci --no-audit --no-fund', { cwd: __dirname, shell: true, stdio: 'inherit' });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
  writeFileSync(installed, readFileSync(lock));
}
