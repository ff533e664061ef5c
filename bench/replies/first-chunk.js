const { setTimeout: delay } = require('node:timers/promises');
const { median, percentile } = require('../support/numbers.js');
const { LANES, readReply, Stage } = require('./stage.js');

const SCRIPT = { chunks: 50, interval: 20, stamped: true };
const WAVES = 3;
const STAMPS = /(\d[\d.]*),(\d[\d.]*);/g;

/**
 * 50 chunks, one every 20 ms, 8 replies at once: the delay added to the first chunk and to each later one. The model
 * writes into each chunk when the request arrived and when the chunk was sent. This excludes the model's own time and
 * the jitter of its timer, so that only the time in between remains.
 */
module.exports = {
  title: 'Time to the first chunk',
  async measure({ rounds = 5, ...options }) {
    const stage = await Stage.open(options);
    const firsts = new Map(stage.targets.map((target) => [target, { together: [], spread: [] }]));
    const laters = new Map(stage.targets.map((target) => [target, []]));
    try {
      for (let round = 0; round <= rounds; round++) {
        for (const target of stage.targets) {
          const samples = await measureRound(target);
          // The first round warms up the compiler.
          if (round > 0) {
            firsts.get(target).together.push(median(samples.together));
            firsts.get(target).spread.push(median(samples.spread));
            laters.get(target).push(percentile(samples.later, 0.5), percentile(samples.later, 0.99));
          }
        }
      }
    } finally {
      await stage.close();
    }
    return stage.pairs.flatMap((pair) => rowsOf(stage, pair, firsts, laters));
  },
};

async function measureRound(target) {
  const samples = { together: [], spread: [], later: [] };
  await target.prepare(2 * WAVES);
  for (const way of ['together', 'spread']) {
    for (let wave = 0; wave < WAVES; wave++) {
      const lane = async (_, index) => {
        // Spread over a few chunks, because users do not send in the same millisecond.
        await delay(way === 'spread' ? (index * 100) / LANES : 0);
        const { first, later } = await timesOf(target, target.requestFor(index, SCRIPT, wave));
        samples[way].push(first);
        samples.later.push(...later);
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    }
  }
  return samples;
}

/** In microseconds: the delay added to the first chunk, and the transit time of each later one. */
async function timesOf(target, request) {
  const chunks = [];
  const { sentAt } = await readReply(target, request, (piece, at) => {
    for (const [, received, written] of piece.matchAll(STAMPS)) {
      chunks.push({ at, received: Number(received), written: Number(written) });
    }
  });
  if (chunks.length !== SCRIPT.chunks) {
    throw new Error(`${target.name} passed on ${chunks.length} of ${SCRIPT.chunks} chunks.`);
  }
  const [{ at, received, written }, ...later] = chunks;
  return { first: at - sentAt - (written - received), later: later.map((chunk) => chunk.at - chunk.written) };
}

function rowsOf(stage, { service, reference }, firsts, laters) {
  const added = (target, way) =>
    firsts.get(target)[way].map((value, round) => value - firsts.get(stage.model)[way][round]);
  const [later, referenceLater] = [service, reference].map((target) =>
    laters.get(target).filter((_, index) => index % 2 === 1),
  );
  return [
    ...['together', 'spread'].map((way) => ({
      figure: `First chunk, added, 8 ${way} (${service.name})`,
      unit: 'µs',
      service: added(service, way),
      reference: added(reference, way),
      most: 1.5,
    })),
    {
      figure: `Later chunks, whole way, 99th percentile (${service.name})`,
      unit: 'µs',
      service: later,
      reference: referenceLater,
    },
  ];
}
