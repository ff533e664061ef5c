const { clientFigures } = require('./client-figures.js');
const { mixedWays } = require('./database-ways.js');
const { atMost } = require('./figure.js');
const { moduleState } = require('./module-state.js');
const { shapeFigures } = require('./shape-figures.js');
const { sourceProgram } = require('./source-program.js');
const { storyFigures } = require('./stories.js');
const { documentFigures, sourceFigures } = require('./text-figures.js');

const MOST_FILES_WITH_WAYS = 15;

/**
 * Measures the house: how many files a story has, how many ways lead to the database, what doors show, and what else is
 * easily let grow. Prints a table and ends with 1 when a goal is missed. `--files webhook` prints instead what was counted
 * for the figures with this word in their names: the files of a story by their folders, or the places.
 */
async function main([option, word = '']) {
  const source = sourceProgram();
  const ways = mixedWays();
  const figures = [
    ...storyFigures(source),
    atMost(
      'files with two or more ways to the database (statements, repositories, builder, raw SQL)',
      ways.map(({ file, ways }) => `${file}: ${ways.join(', ')}`),
      MOST_FILES_WITH_WAYS,
    ),
    atMost('changing variables of modules in common and mail', moduleState(source), 0),
    ...shapeFigures(),
    ...sourceFigures(),
    ...documentFigures(),
    ...(await clientFigures()),
  ];
  if (option === '--files') return print(figures.filter(({ name }) => name.includes(word)).flatMap(listOf));
  print(table(figures));
  process.exitCode = figures.every(({ isReached }) => isReached) ? 0 : 1;
}

function table(figures) {
  const rows = figures.map(({ name, now, goal, isReached }) => [name, now, goal, isReached ? 'ok' : 'no']);
  const cells = [['figure', 'now', 'goal', 'ok'], ...rows].map((row) => row.map(String));
  const widths = cells[0].map((_head, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

/** Files below their folders; places as they are. */
function listOf({ name, now, goal, found }) {
  const lines = [`${name}: ${now} ${goal}`];
  const folders = new Map();
  for (const place of found) {
    const [, folder, rest] = /^(\S+)\/([^/]+)$/.exec(place) ?? [null, '', place];
    folders.set(folder, [...(folders.get(folder) ?? []), rest]);
  }
  for (const [folder, places] of folders) {
    if (folder) lines.push(`  ${folder}/ (${places.length})`);
    lines.push(...places.map((place) => `    ${place}`));
  }
  return lines;
}

function print(lines) {
  process.stdout.write(`${lines.join('\n')}\n`);
}

void main(process.argv.slice(2));
