const { existsSync, readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { ROOT } = require('../spec-files.js');

/** Files below a folder of the project, as paths from its root; none if the folder does not exist. */
function filesIn(folder, kind = /./) {
  const whole = path.join(ROOT, folder);
  if (!existsSync(whole)) return [];
  return readdirSync(whole, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && kind.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort();
}

function textOf(file) {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function linesOf(file) {
  return textOf(file).replace(/\n$/, '').split('\n').length;
}

/** Each line in which the pattern is found: `src/a.ts:12 const a = b as never;` */
function hitsIn(files, pattern) {
  return files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );
}

/** Each import in the files below a folder: `src/a.ts -> src/b/c`. */
function importsBetween(files, folder) {
  return files.flatMap((file) =>
    [...textOf(file).matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)]
      .map(([, name]) => path.join(path.dirname(file), name))
      .filter((imported) => imported.startsWith(folder))
      .map((imported) => `${file} -> ${imported}`),
  );
}

module.exports = { filesIn, hitsIn, importsBetween, linesOf, textOf };
