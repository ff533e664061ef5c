const path = require('node:path');
const { OwnProcess } = require('../support/own-process.js');
const { marginOf, ratioOf } = require('../support/ratios.js');
const { EarlierBuild } = require('./earlier-build.js');
const { Twins } = require('./twins.js');

/** Measurements that can compare two builds. Each module exports `against`. */
const COMPARISONS = {
  start: '../start/start.js',
  'request-cost': '../request-cost/request-cost.js',
  'reply-cost': '../replies/reply-cost.js',
  'completion-cost': '../replies/completion-cost.js',
};

/**
 * A figure is measured until its interval is within this share of the ratio, with a minimum and a maximum number of
 * rounds.
 */
const NARROW = 0.015;
const FEWEST_ROUNDS = 8;
const MOST_ROUNDS = 60;

/** No round on one database starts after this time, in milliseconds. */
const LONGEST = 30 * 60_000;

/**
 * Compares the current build with another commit.
 *
 * @param {string} commit or the `dist` folder of an existing build
 * @param {{ names: string[], engines: string[], folder: string, rounds?: number, sample: number, routes: string, node?:
 * string }} options
 * @returns {Promise<{ name: string, rows: object[] }>} the other build, and rows for `renderRatios`
 */
async function compareWith(commit, { names, engines, folder, ...options }) {
  const build = await EarlierBuild.make(commit);
  const model = await OwnProcess.start([path.join(__dirname, '../replies/upstream.js')]);
  const builds = { now: folder, earlier: build.dist, copies: build.folder };
  const rows = [];
  for (const name of names) {
    const { against } = require(COMPARISONS[name]);
    for (const engine of engines) {
      console.log(`${name} (${engine}) …`);
      const twins = await Twins.open(engine, against, { ...builds, modelPort: model.port, node: options.node });
      const measured = await measureRounds(twins, against, options);
      rows.push(...measured.map((row) => ({ ...row, figure: `${row.figure} (${engine})` })));
      await twins.close();
    }
  }
  await model.process.end();
  await build.close();
  return { name: build.name, rows };
}

async function measureRounds(twins, { measureRound }, { rounds, ...options }) {
  const { services, seeded } = twins;
  const lastBegin = performance.now() + LONGEST;
  const rows = new Map();
  const isNeeded = (figure) => !isSettled(rows.get(figure), rounds);
  const isDone = () => performance.now() > lastBegin || ![...rows.keys()].some(isNeeded);
  for (let round = 0; round === 0 || !isDone(); round++) {
    // Even with equal builds, the one that starts first may cost a few percent more.
    const kinds = round % 2 === 0 ? ['now', 'earlier'] : ['earlier', 'now'];
    const measured = await measureRound({ ...options, kinds, services, seeded, isNeeded });
    for (const { now, earlier, ...row } of measured) {
      const pairs = rows.get(row.figure)?.pairs ?? [];
      rows.set(row.figure, { ...row, pairs: row.missing ? [] : [...pairs, [now, earlier]] });
    }
    await twins.end();
  }
  return [...rows.values()];
}

/** Whether a figure needs no more rounds. Unsteady figures may never converge, so they get the minimum. */
function isSettled({ pairs, isUnsteady, missing } = { pairs: [] }, rounds = undefined) {
  if (missing) {
    return true;
  }
  if (rounds || pairs.length < FEWEST_ROUNDS) {
    return pairs.length >= (rounds ?? FEWEST_ROUNDS);
  }
  // Each build has started first equally often.
  const isBalanced = pairs.length % 2 === 0;
  return isBalanced && (isUnsteady || pairs.length >= MOST_ROUNDS || marginOf(ratioOf(pairs)) <= NARROW);
}

module.exports = { compareWith, COMPARISONS };
