const path = require('node:path');
const ts = require('typescript');
const { figure } = require('./figure.js');
const { filesIn, textOf } = require('./project-files.js');

const MOST_LINES = 50;

/** Of folders and functions. Tests next to their source do not count. The linter limits the lines of a file. */
function shapeFigures() {
  const source = filesIn('src', /\.ts$/).filter((file) => !/\.spec\.ts$|\/database\/migrations\//.test(file));
  return [
    figure('folders of src with more than 20 files', foldersOver(20, source)),
    figure('folders of console/src with more than 15 files', foldersOver(15, filesIn('console/src'))),
    figure(`functions of src with more than ${MOST_LINES} lines`, source.flatMap(longFunctions)),
  ];
}

/** `src/database (48)` */
function foldersOver(most, files) {
  const counts = new Map();
  for (const folder of files.filter((file) => !file.includes('.spec.')).map((file) => path.dirname(file)))
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([folder, count]) => `${folder} (${count})`);
}

/** `src/a.ts:12 (57)` */
function longFunctions(file) {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found = [];
  const visit = (node) => {
    const [first, last] = [lineOf(node.getStart()), lineOf(node.end)];
    if (ts.isFunctionLike(node) && last - first >= MOST_LINES) found.push(`${file}:${first} (${last - first + 1})`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

module.exports = { shapeFigures };
