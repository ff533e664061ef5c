const { readFileSync } = require('node:fs');
const path = require('node:path');
const { ROOT } = require('../spec-files.js');

/**
 * What a test file declares in its first lines, each with the reason:
 *
 *     // @databases mariadb mysql: locks and deadlocks
 *     // @part rest: starts a cluster of three servers
 *
 * `databases`: the servers on which its outcome can differ from that on SQLite. A merge runs it there too.
 * `part`: `first` is what `npm test` runs; `rest` is what only a merge runs (`npm run test:all`).
 */
const DECLARATION = /^\/\/ @(databases|part) ([a-z0-9 ]+): \S/;

/**
 * @param {string} file its path from the root of the project
 * @returns {{databases: string[], part: 'first' | 'rest' | undefined}} `databases` without SQLite, where every file runs
 */
function declarationsOf(file) {
  const found = {};
  for (const line of readFileSync(path.join(ROOT, file), 'utf8').split('\n', 3)) {
    const [, name, value] = DECLARATION.exec(line) ?? [];
    if (name) found[name] = value.split(' ');
  }
  return { databases: (found.databases ?? []).filter((each) => each !== 'sqlite'), part: found.part?.[0] };
}

module.exports = { declarationsOf };
