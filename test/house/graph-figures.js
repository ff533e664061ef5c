const path = require('node:path');
const { figure } = require('./figure.js');
const { importGraph } = require('./import-graph.js');
const { linesOf } = require('./project-files.js');
const { upwardArrows } = require('./upward-arrows.js');

/** The targets of the reviewed structure. */
const NAMES_TARGETS = { generation: 20, chat: 15 };
const ARROWS_TARGETS = { generation: 5 };
const ARROWS_TARGET = 2;
const SINGLE_READERS_TARGET = 60;

/** So many lines a file and its only reader may have together before they are better apart. */
const MOST_TOGETHER = 300;

/** Of what modules show each other, of the order inside them, and of files that only one other file reads. */
function graphFigures() {
  const graph = importGraph();
  const modules = [...new Set([...graph.keys()].flatMap((file) => /^src\/modules\/([^/]+)\//.exec(file)?.[1] ?? []))];
  return [
    ...modules.map((module) =>
      figure(
        `names of ${module}.api that one other module alone uses`,
        namesForOne(graph, module),
        NAMES_TARGETS[module],
      ),
    ),
    ...modules.map((module) =>
      figure(
        `arrows upwards inside ${module}`,
        upwardArrows(graph, `src/modules/${module}/`),
        ARROWS_TARGETS[module] ?? ARROWS_TARGET,
      ),
    ),
    figure(
      `files that one file of their folder alone reads, together at most ${MOST_TOGETHER} lines`,
      withSingleReader(graph),
      SINGLE_READERS_TARGET,
    ),
  ];
}

/** `Name (module)` */
function namesForOne(graph, module) {
  const door = `src/modules/${module}/${module}.api.ts`;
  const users = new Map();
  for (const [file, imports] of graph) {
    const user = /^src\/(?:modules\/([^/]+)\/)?/.exec(file)[1] ?? 'src';
    for (const name of user === module ? [] : (imports.get(door) ?? [])) {
      users.set(name, (users.get(name) ?? new Set()).add(user));
    }
  }
  return [...users]
    .filter(([, { size }]) => size === 1)
    .map(([name, [user]]) => `${name} (${user})`)
    .sort();
}

/** `file <- reader` */
function withSingleReader(graph) {
  const readers = new Map();
  for (const [file, imports] of graph) {
    for (const imported of imports.keys()) readers.set(imported, [...(readers.get(imported) ?? []), file]);
  }
  return [...readers]
    .filter(([file, [reader, ...others]]) => others.length === 0 && path.dirname(file) === path.dirname(reader))
    .filter(([file, [reader]]) => linesOf(file) + linesOf(reader) <= MOST_TOGETHER)
    .map(([file, [reader]]) => `${file} <- ${path.basename(reader)}`)
    .sort();
}

module.exports = { graphFigures };
