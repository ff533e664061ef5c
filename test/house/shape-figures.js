const path = require('node:path');
const ts = require('typescript');
const { atMost, missing } = require('./figure.js');
const { filesIn, linesOf, textOf } = require('./project-files.js');

const SOURCE = /\.(ts|tsx|js|mjs)$/;

/** How many names a door may show; of the others only the number is told. */
const MOST_NAMES = { chat: 15, generation: 15 };

/** Of folders, files and the doors of modules. Tests beside their source do not count in a folder. */
function shapeFigures() {
  const source = filesIn('src').filter((file) => !file.startsWith('src/database/migrations/'));
  const all = ['src', 'client/src', 'console/src', 'test', 'bench'].flatMap((folder) => filesIn(folder, SOURCE));
  const long = all.filter((file) => !/\/generated\/|\/fixtures\//.test(file)).filter((file) => linesOf(file) > 250);
  return [
    atMost('folders of src with more than 20 files', foldersOver(20, source), 0),
    atMost('folders of console/src with more than 15 files', foldersOver(15, filesIn('console/src')), 0),
    atMost('files with more than 250 lines', long, 0),
    ...doorFigures(source.filter((file) => file.endsWith('.api.ts'))),
  ];
}

/** `src/database (48)` */
function foldersOver(most, files) {
  const counts = new Map();
  for (const folder of files.filter((file) => !file.includes('.spec.')).map((file) => path.dirname(file)))
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([folder, count]) => `${folder} (${count})`);
}

function doorFigures(doors) {
  const moduleOf = (door) => path.basename(door, '.api.ts');
  const shown = doors.map((door) => {
    const names = namesIn(door);
    const most = MOST_NAMES[moduleOf(door)] ?? Infinity;
    const figure = atMost(`names of ${moduleOf(door)}.api`, names, most);
    return most === Infinity ? { ...figure, goal: '' } : figure;
  });
  const absent = Object.entries(MOST_NAMES).filter(([name]) => !doors.some((door) => moduleOf(door) === name));
  return [...shown, ...absent.map(([name, most]) => missing(`names of ${name}.api`, `<= ${most}`))];
}

function namesIn(door) {
  const { statements } = ts.createSourceFile(door, textOf(door), ts.ScriptTarget.Latest);
  return statements.flatMap(({ exportClause }) => exportClause?.elements?.map(({ name }) => name.text) ?? []);
}

module.exports = { shapeFigures };
