const { median } = require('../support/numbers.js');

/**
 * CPU time of a turn, in milliseconds. It is short, so that noise affects both builds, but long compared with the 10 ms
 * tick of the CPU clock.
 */
const TURN = 250;

/** Minimum CPU time of each build in a round, in milliseconds. Starting a process takes half as much. */
const ROUND = 4_000;

/** Turns for the warm-up of a task, before it is measured. */
const WARM_UP_TURNS = 4;

/**
 * @typedef {object} Task work that a client requests from the service
 * @property {string} figure
 * @property {string} unit
 * @property {number} scale units per millisecond
 * @property {number} atOnce number of concurrent clients; all repetition counts are multiples of it
 * @property {number} warmUp repetitions per turn before the measurement
 * @property {(service: Service, seeded: any, times: number) => Promise<(times: number) => Promise<unknown>>} prepare
 * prepares all turns; the returned function runs the task in one turn
 */

/**
 * Starts both builds and lets them work in turns, each idle while the other one works. The result of a task is the
 * median of its turns. The median excludes major garbage collections, which occur in few turns and are as large as all
 * other noise.
 *
 * @param {Task[]} tasks
 * @param {{ kinds: string[], services: Record<string, Service>, seeded: any, sample: number, routes: string,
 * warmUpFactor: number, isNeeded: (figure: string) => boolean }} round `sample`: CPU time of each build for each task, in
 * milliseconds; `routes`: only figures that contain this text; `warmUpFactor`: how many times the tasks' warm-up
 * @returns {Promise<{ figure: string, unit: string, now?: number, earlier?: number, missing?: string }[]>} CPU time of
 * a single repetition of each task; `missing`: a build does not have the route
 */
async function measureInTurns(tasks, round) {
  const chosen = tasks.filter(({ figure }) => figure.includes(round.routes));
  if (chosen.length === 0) {
    throw new Error(`No figure contains ${round.routes}; there are ${tasks.map(({ figure }) => figure).join(', ')}.`);
  }
  await Promise.all(round.kinds.map((kind) => round.services[kind].startProcess()));
  const needed = chosen.filter(({ figure }) => round.isNeeded(figure));
  const sample = Math.max(round.sample, ROUND / needed.length);
  const rows = [];
  for (const { figure, unit, scale, ...task } of needed) {
    try {
      const { now, earlier } = await measureTask(task, { ...round, sample });
      rows.push({ figure, unit, now: scale * now, earlier: scale * earlier });
    } catch (error) {
      if (error.status !== 404) throw error;
      rows.push({ figure, unit, missing: error.message });
    }
  }
  return rows;
}

/** @returns {Promise<{ now: number, earlier: number }>} milliseconds */
async function measureTask({ warmUp, atOnce, prepare }, { sample, warmUpFactor, ...round }) {
  const first = await measureTurns(prepare, round, { turns: WARM_UP_TURNS, times: warmUp * warmUpFactor });
  const costs = first.at(-1);
  const times = atOnce * Math.ceil(TURN / Math.max(costs.now, costs.earlier) / atOnce);
  const turns = await measureTurns(prepare, round, { turns: Math.ceil(sample / TURN), times });
  // The median of the ratios, scaled to the current build.
  const now = median(turns.map((turn) => turn.now));
  return { now, earlier: now * median(turns.map((turn) => turn.earlier / turn.now)) };
}

/**
 * A turn is charged with the CPU time until the next turn starts, so that deferred work counts too.
 *
 * @returns {Promise<{ now: number, earlier: number }[]>} milliseconds of one repetition, for each turn
 */
async function measureTurns(prepare, { kinds, services, seeded }, { turns, times }) {
  const cpu = { now: [], earlier: [] };
  const work = {};
  for (const kind of kinds) {
    work[kind] = await prepare(services[kind], seeded, turns * times);
  }
  for (let turn = 0; turn <= turns; turn++) {
    for (const kind of kinds) {
      cpu[kind].push(services[kind].process.cpuMilliseconds());
      if (turn < turns) {
        await work[kind](times);
      }
    }
  }
  const cost = (kind, turn) => (cpu[kind][turn + 1] - cpu[kind][turn]) / times;
  return Array.from({ length: turns }, (_, turn) => ({ now: cost('now', turn), earlier: cost('earlier', turn) }));
}

module.exports = { measureInTurns };
