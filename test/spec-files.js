const { readdirSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '..');

/** The test files that jest runs, as paths from the root of the project. */
function specFiles() {
  return ['src', 'client/test', 'test'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true })
      .filter((file) => /[.-]spec\.ts$/.test(file) && !file.includes('node_modules') && !file.startsWith('fixtures'))
      .map((file) => path.join(folder, file)),
  );
}

module.exports = { ROOT, specFiles };
