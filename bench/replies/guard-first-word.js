const { median } = require('../support/numbers.js');
const { administratorOf, ENVIRONMENT } = require('./budget-cost.js');
const { LANES, readReply, Stage } = require('./stage.js');

const SCRIPT = { chunks: 20, interval: 20, stamped: true };
const WAVES = 3;
const STAMP = /(\d[\d.]*),(\d[\d.]*);/;

/** A window of one character, so that the first word only waits for the guard, and not for later chunks. */
const GUARD = {
  name: 'bench',
  kind: 'builtin',
  rules: ['email'],
  stages: ['output'],
  mode: 'mask',
  window: 1,
};

/** The time to the first word of streamed replies with a built-in guard, compared with the same replies without one. */
module.exports = {
  title: 'Time to the first word with a guard',
  async measure({ rounds = 5, ...options }) {
    const stage = await Stage.open({ ...options, environment: ENVIRONMENT });
    try {
      const rows = [];
      for (const service of stage.services) {
        const times = await compare(service, rounds);
        rows.push({ figure: `First word with a built-in guard (${service.name})`, unit: 'µs', ...times });
      }
      return rows;
    } finally {
      await stage.close();
    }
  },
};

/** @returns {Promise<{ service: number[], reference: number[] }>} microseconds, one value for each round */
async function compare(target, rounds) {
  const ask = await administratorOf(target.server);
  const times = { service: [], reference: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const kind of round % 2 === 0 ? ['service', 'reference'] : ['reference', 'service']) {
      const guard = kind === 'service' ? (await ask('POST', '/admin/guards', GUARD)).data : null;
      const measured = await measureRound(target);
      if (guard !== null) {
        await ask('DELETE', `/admin/guards/${guard.id}`);
      }
      // The first round warms up the compiler.
      if (round > 0) {
        times[kind].push(measured);
      }
    }
  }
  return times;
}

async function measureRound(target) {
  await target.prepare(WAVES);
  const firsts = [];
  for (let wave = 0; wave < WAVES; wave++) {
    const lane = async (_, index) => firsts.push(await firstOf(target, target.requestFor(index, SCRIPT, wave)));
    await Promise.all(Array.from({ length: LANES }, lane));
  }
  return median(firsts);
}

/** In microseconds, without the model's own time. */
async function firstOf(target, request) {
  let [text, first] = ['', null];
  const { sentAt } = await readReply(target, request, (piece, at) => {
    first ??= at;
    text += piece;
  });
  const [, received, written] = STAMP.exec(text);
  return first - sentAt - (Number(written) - Number(received));
}
