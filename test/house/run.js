const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { clientFigures } = require('./client-figures.js');
const { mixedWays } = require('./database-ways.js');
const { figure } = require('./figure.js');
const { flowFigures } = require('./flow-figures.js');
const { graphFigures } = require('./graph-figures.js');
const { moduleState } = require('./module-state.js');
const { differences, keptOf } = require('./ratchet.js');
const { shapeFigures } = require('./shape-figures.js');
const { documentFigures, sourceFigures } = require('./text-figures.js');

const KEPT = path.join(__dirname, 'kept.json');

/**
 * Measures the structure: how many files a request runs, what modules show each other, and what else grows easily. Needs the build.
 * Prints a table, and ends with 1 when a figure differs from the kept one. `--keep` writes the figures down instead.
 * `--files message` prints what was counted for the figures with this word in their names.
 */
async function main([option, word = '']) {
  const ways = mixedWays();
  const figures = [
    ...(await flowFigures()),
    ...graphFigures(),
    ...shapeFigures(),
    figure(
      'files with two or more ways to the database (statements, repositories, builder, raw SQL)',
      ways.map(({ file, ways }) => `${file}: ${ways.join(', ')}`),
    ),
    figure('changing variables of modules in common and mail', moduleState()),
    ...sourceFigures(),
    ...documentFigures(),
    ...(await clientFigures()),
  ];
  if (option === '--files') return print(figures.filter(({ name }) => name.includes(word)).flatMap(listOf));
  if (option === '--keep') return writeFileSync(KEPT, `${JSON.stringify(keptOf(figures), null, 2)}\n`);
  const kept = JSON.parse(readFileSync(KEPT, 'utf8'));
  const different = differences(figures, kept);
  print([...table(figures, kept), ...different]);
  process.exitCode = different.length > 0 ? 1 : 0;
}

/** Without the figures of which nothing was found, as it should be. */
function table(figures, kept) {
  const rows = figures
    .filter(({ name, found }) => found.length > 0 || name in kept)
    .map(({ name, found, target }) => [name, found.length, kept[name] ?? 0, target ?? '']);
  const cells = [['figure', 'now', 'kept', 'target'], ...rows].map((row) => row.map(String));
  const widths = cells[0].map((_head, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

function listOf({ name, found }) {
  return [`${name}: ${found.length}`, ...found.map((place) => `  ${place}`)];
}

function print(lines) {
  process.stdout.write(`${lines.join('\n')}\n`);
}

void main(process.argv.slice(2));
